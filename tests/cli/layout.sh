#!/bin/sh
# kz layout: tables, operations in their order, names, banks, pictures, and what is refused.
. "$(dirname "$0")/lib.sh"
expect_exit 0 layout '(4,8):(8,1)'
expect_out "    3: 24 25 26 27 28 29 30 31"
expect_exit 0 layout '((2,4),8):((1,16),2)' --at '((1,3),7)'
expect_out "63"
# Operations are done one after the other.
expect_exit 0 layout 4:2 --complement 24 --inverse right
expect_out "2:1"
expect_exit 0 layout 4:2 --inverse=right --complement=24
expect_out "24:1"
expect_exit 0 layout '(8,8):(8,1)' --divide '(4,4)'
expect_out "((4,2),(4,2)):((8,32),(1,4))"
expect_exit 0 layout '(8,8):(8,1)' --divide '(4,4)' --coalesce
expect_out "(8,8):(8,1)"
expect_exit 0 layout '(8,8):(8,1)' --zipped-divide='<4:1,4:1>'
expect_out "((4,4),(2,2)):((8,1),(32,4))"
expect_exit 0 layout '(8,8):(8,1)' --tiled-divide '(4,4)'
expect_out "((4,4),2,2):((8,1),32,4)"
expect_exit 0 layout '(4,8):(8,1)' --compose '(2,2):(2,1)'
expect_out "(2,2):(16,8)"
expect_exit 0 layout '(2,2):(1,2)' --product '(2,4)'
expect_out "((2,2),(2,(2,2))):((1,2),(2,(1,4)))"
expect_exit 0 layout '(2,2):(1,2)' --product '(2,3):(1,2)'
expect_out "((2,2),(2,3)):((1,2),(4,8))"
expect_exit 0 layout '(2,2):(1,2)' --blocked-product '(2,3)'
expect_out "((2,2),(2,3)):((1,4),(2,8))"
expect_exit 0 layout '(2,2):(1,2)' --raked-product '(2,3)'
expect_out "((2,2),(3,2)):((4,1),(8,2))"
expect_exit 0 layout '4:2' --complement 24
expect_out "(2,3):(1,8)"
expect_exit 0 layout '(4,8):(8,1)' --inverse right
expect_out "(8,4):(4,1)"
expect_exit 0 layout '4:2' --inverse left
expect_out "(2,4):(0,1)"
# Names.
expect_exit 0 layout mma.m16n8k16.f16.a
expect_out "((4,8),(2,2,2)):((32,1),(16,8,128))"
expect_out "   15: 28:2 28:3 29:2 29:3 30:2 30:3 31:2 31:3 28:6 28:7 29:6 29:7 30:6 30:7 31:6 31:7"
expect_exit 0 layout wgmma.m64n64k16.d
expect_out "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))"
expect_exit 0 layout --list
expect_out "smem.k.sw128.b16"
expect_out "ldmatrix.x4.trans"
expect_exit 0 layout --list --json
[ "$("$JSON_LINES" name < "$FOLDER/out")" -gt 150 ] || fail "the list is not JSON"
expect_exit 0 layout '((4,8),2):((16,1),8)' --threads --shape 8,8
expect_out "    7: 28:0 28:1 29:0 29:1 30:0 30:1 31:0 31:1"
# Banks.
expect_exit 0 layout '(32,32):(32,1)' --banks
expect_out "down a column 32 wavefronts, along a row 1."
expect_exit 0 layout '(8,64):(64,1)' --swizzle 3,3,3 --banks --bytes 2
expect_out "down a column 1 wavefront, along a row 1."
# For programs, and drawn.
expect_exit 0 layout '(2,2):(2,1)' --json
expect_out '"rows":[[0,1],[2,3]]'
[ "$("$JSON_LINES" cells index < "$FOLDER/out")" = 1 ] || fail "the table is not JSON"
expect_exit 0 layout smem.k.sw128.b16 --banks --svg="$FOLDER/tile.svg"
expect_out "SVG: $FOLDER/tile.svg"
grep -q 'bank 31' "$FOLDER/tile.svg" || fail "the picture has no banks"
# What is refused says why.
expect_exit 2 layout
expect_err "one layout"
expect_exit 2 layout '(8,8):(8,1'
expect_err "layout:1:11"
expect_exit 2 layout mma.m16n8k16.f16.e
expect_err "did you mean mma.m16n8k16.f16"
expect_exit 2 layout '(6,4):(1,100)' --compose 4:4
expect_err "no layout is (6,4):(1,100) o 4:4"
expect_exit 2 layout '8:1' --complement many
expect_exit 2 layout '8:1' --inverse up
expect_exit 2 layout '8:1' --swizzle 3
expect_exit 2 layout '(8,8):(8,1)' --swizzle 3,0,3 --inverse left
expect_err "before --swizzle"
expect_exit 2 layout '(8,8):(8,1)' --threads
expect_err "--shape"
expect_exit 2 layout mma.m16n8k16.f16.a --banks
expect_err "registers have no banks"
expect_exit 2 layout '(4096,4096)'
expect_err "cells"
expect_exit 2 layout '8:1' --bytes 40
expect_exit 2 layout ldmatrix
expect_err '"ldmatrix" begins '
expect_err "ldmatrix.x1.trans"
expect_exit 2 layout '(8,8):(8,1)' --at '(8,0)'
expect_err "the coordinate (8,0) is none of the shape (8,8)"
finish

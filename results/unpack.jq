# Packed files of records as whole records, one per line: jq -c -n -f results/unpack.jq FILE
def row($columns; $path):
    if type == "array" and $columns[$path] then [$columns[$path], .] | transpose | map({(.[0]): .[1]}) | add else . end
    | if type == "object" then with_entries(.key as $key | .value |= row($columns; "\($path).\($key)"))
      elif type == "array" then map(row($columns; "\($path)[]")) else . end;
def part($keys): # the last columns may be missing
    if type == "array" then . as $row | reduce range(length) as $i ({}; . + {($keys[$i]): $row[$i]}) else . end;
def line($columns):
    with_entries(.key as $key | .value |=
        if ["modes", "candidates", "results"] | index($key) then map_values(part($columns[$key]) | line($columns))
        else row($columns; $key) end);
def known($head): # an index in the place of what candidates repeat
    with_entries(.key as $key | .value |=
        if type == "number" then $head.repeated[$key][.] | row($head.columns; $key) else . end);
input as $head | inputs | $head.shared * line($head.columns) | . as $line
| if .candidates | not then . else .candidates[] | known($head) | . as $one
| .results | to_entries[]
| ($line | del(.modes, .candidates)) + $line.modes[.key] + ($one | del(.results)) + .value + {mode: (.key | split(" ")[0])} end

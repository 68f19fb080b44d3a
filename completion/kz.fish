# Completion of kz for fish. kz itself says what may follow (kz complete): nothing here can grow old.

function __kz_complete
    set -l typed (commandline -opc) (commandline -ct)
    set -l offers (kz complete $typed[2..] 2>/dev/null)
    if test (count $offers) -gt 0
        printf '%s\n' $offers
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c kz -f -a '(__kz_complete)'

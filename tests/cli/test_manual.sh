#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_manual.sh REGIONSIM MANUAL BASH_COMPLETION ZSH_COMPLETION, the three in any order
# The manual page is well-formed, and each shell, asked as by a key, offers what the program takes. What is not installed
# is left out, aloud. Ends with "N passed, N failed".
regionsim=$(realpath "$1")
for file in "${@:2}"; do
    case ${file##*/} in
    regionsim.1) page=$(realpath "$file") ;;
    regionsim) bash_completion=$(realpath "$file") ;;
    _regionsim) zsh_completion=$(realpath "$file") ;;
    esac
done
. "$(dirname "$0")/claims.sh" "$1" "$1"
mkdir program && ln -s "$regionsim" program/regionsim
export PATH=$work/program:$PATH
touch a.db b.csv c.txt

# What the program says of itself: "verb --option" a line, made from its help.
verbs=$("$regionsim" --help | sed -n '/^Verbs:/,/^$/{s/^  \([a-z]*\) .*/\1/p}')
for verb in $verbs; do
    "$regionsim" "$verb" --help | sed -n "s/^  --\([a-z-]*\).*/$verb --\1/p"
done >options

begin "there are verbs and options to look for"
[ "$(wc -w <<<"$verbs")" -ge 10 ] || fault "verbs: $verbs"
[ "$(wc -l <options)" -ge 80 ] || fault "$(wc -l <options) options"
end

begin "the page holds each verb and each of its options"
while read -r verb option; do
    sed -n "/^\.SS \"$verb\"/,/^\.S[SH] /p" "$page" | grep -qF -e "\\fB${option//-/\\-}\\fR" ||
        fault "the page lacks $verb $option"
done <options
has "$page" ".SH EXIT STATUS"
end

if command -v mandoc >/dev/null; then
    begin "mandoc has nothing to say about the page"
    run 0 mandoc -T lint "$page"
    is_empty out
    end
else
    echo "no mandoc: the page was not checked by it"
fi
if command -v groff >/dev/null && [ -d /usr/share/groff ] && groff -man -Tutf8 </dev/null >/dev/null 2>&1; then
    begin "groff formats the page without a warning"
    run 0 groff -man -ww -Tutf8 "$page"
    is_empty err
    has out "AZURE_COSMOS_*"
    end
else
    echo "no groff with its macros: the page was not formatted"
fi

# offers LINE: what bash would offer at its end, one a line. Words break as bash breaks them.
cat >ask.bash <<'BASH'
. "$1"
line=$2
read -ra COMP_WORDS <<<"${line//=/ = }"
[[ $line == *[\ =] ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_regionsim
printf '%s\n' "${COMPREPLY[@]}"
BASH
in_bash() {
    bash ask.bash "$bash_completion" "$1" 2>bash_err | sort -u
    [ ! -s bash_err ] || sed 's/^/  /' bash_err
}

# The same from zsh: an interactive one on a pseudo terminal, whose compadd tells what it is given.
cat >ask.zsh <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= ; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D"
zpty -w shell 'compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    typeset -a hits
    builtin compadd -A hits "$@"
    builtin compadd "$@"
    [[ ${@[1,(i)-S]} != *-S ]] || hits=(${^hits}"${@[$((${@[(i)-S]} + 1))]}")
    (( ! $#hits )) || print -rl -- $hits >>$HITS
}'
zpty -w shell 'zle -C offer list-choices _main_complete'
zpty -w shell 'tell() { zle offer; print "that was"" all" }; zle -N tell; bindkey "^T" tell'
while IFS= read -r line; do
    zpty -w -n shell $'\x15'"$line"$'\x14'
    zpty -r shell output '*that was all*'
    print answered
done
ZSH
in_zsh() {
    : >hits
    echo "$1" >&"${COPROC[1]}"
    read -r <&"${COPROC[0]}"
    sort -u hits
}

# offered LINE WORD...: the shell in `ask` offers exactly these.
offered() {
    local line=$1
    shift
    diff <(printf '%s\n' "$@" | sort -u) <("$ask" "$line") >difference ||
        { fault "$ask: \"$line\" offers other words:"; head -20 difference; }
}

# holds LINE WORD...: it offers these and maybe others.
holds() {
    local line=$1 word
    shift
    "$ask" "$line" >offers
    for word in "$@"; do
        grep -qxF -e "$word" offers || fault "$ask: \"$line\" does not offer $word, but: $(tr '\n' ' ' <offers | head -c 300)"
    done
}

shell_tests() { # NAME: those that hold for either shell
    begin "$1 offers the verbs, and those that begin so"
    holds "regionsim " $verbs
    offered "regionsim va" validate
    end
    begin "$1 offers every option of each verb, and no other"
    for verb in $verbs; do
        # shellcheck disable=SC2046 # one word an option
        offered "regionsim $verb --" $(sed -n "s/^$verb //p" options)
    done
    end
    begin "$1 offers the values of options"
    offered "regionsim run --format " text json csv md
    offered "regionsim report --format " html md csv json
    offered "regionsim run --event-mode=" fast reference
    offered "regionsim sweep --metric flap_c" flap_count
    holds "regionsim run scenarios/small.yaml --policy " success-rate
    holds "regionsim run --set failback.min_s" failback.min_sample=
    offered "regionsim import --home northc" northcentralus
    end
    begin "$1 offers the files that a verb reads"
    holds "regionsim run scenarios/sm" "$2"
    offered "regionsim report a" a.db
    offered "regionsim import b" b.csv
    offered "regionsim list " scenarios policies metrics knobs
    offered "regionsim list metrics flap_c" flap_count
    holds "regionsim list knobs failback.min_s" failback.min_sample
    end
}

ask=in_bash
shell_tests bash scenarios/small.yaml
if command -v zsh >/dev/null; then
    coproc HITS=$work/hits zsh -f ask.zsh "${zsh_completion%/*}" 2>/dev/null
    ask=in_zsh
    shell_tests zsh small.yaml
else
    echo "no zsh: its completion was not tried"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

# Prints the words that zsh offers for a line: zsh -f complete.zsh SCRIPT LINE. A shell in a pseudo-terminal loads the
# script; in place of compadd, which adds words to a menu, a function prints them.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='' PS2=''; stty -echo; autoload -Uz compinit; compinit -D -u; source $1
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd \"\$@\"; return; fi
  local -a words; builtin compadd -A words \"\$@\"; print -rn -- \"word:\"\$^words\" \"
}
bindkey '^I' complete-word
finish() { print 'end of words'; zle kill-whole-line }
zle -N finish; bindkey '^X' finish; print 'rea''dy'"
local text
zpty -r shell text '*ready*'
zpty -n -w shell "$2"$'\t'$'\x18'
zpty -r shell text '*end of words*'
print -r -- "$text"

import type { Completion } from '../command-syntax.ts'
import type { CompletedCommand, CompletedOption } from './completed-command.ts'

/** A completion script for bash 3.2 and later. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ')
  return `# bash completion of gateway, made by: gateway completion bash
_gateway_paths() {
  local IFS=$'\\n'
  type compopt >/dev/null 2>&1 && compopt -o filenames
  COMPREPLY=($(compgen "$1" -- "$cur"))
}

_gateway() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command='' operands=0 at=1
  COMPREPLY=()
  # --option=value is three words.
  if [ "$cur" = = ]; then cur=''; elif [ "$prev" = = ]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  while [ "$at" -lt "$COMP_CWORD" ]; do
    case "$command \${COMP_WORDS[at]}" in
      ${valueOptions(commands)}) at=$((at + 1)); [ "\${COMP_WORDS[at]}" = = ] && at=$((at + 1)) ;;
      *\\ -* | *\\ =) ;;
      \\ *) command=\${COMP_WORDS[at]} ;;
      *) operands=$((operands + 1)) ;;
    esac
    at=$((at + 1))
  done
  if [ -z "$command" ]; then
    COMPREPLY=($(compgen -W '${names} --help --version' -- "$cur"))
    return
  fi
  case "$command $prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  if [ "\${cur#-}" != "$cur" ]; then
    case "$command" in
${commands.map(optionCase).join('\n')}
    esac
    return
  fi
  case "$command $operands" in
${commands.flatMap(operandCases).join('\n')}
  esac
}

complete -F _gateway gateway
`
}

function spellings({ name, short }: CompletedOption): string[] {
  return [`--${name}`, ...(short === null ? [] : [`-${short}`])]
}

/** Patterns of all options with a value, as they stand before the value. */
function valueOptions(commands: readonly CompletedCommand[]): string {
  const patterns = commands.flatMap(({ name, options }) =>
    options
      .filter(({ value }) => value !== null)
      .flatMap((option) => spellings(option).map((form) => `'${name} ${form}'`)),
  )
  return patterns.join(' | ')
}

function valueCases({ name, options }: CompletedCommand): string[] {
  return options.flatMap((option) => {
    if (option.value === null) return []
    const pattern = spellings(option)
      .map((form) => `'${name} ${form}'`)
      .join(' | ')
    return [`    ${pattern}) ${action(option.value)}return ;;`]
  })
}

function optionCase({ name, options }: CompletedCommand): string {
  return `      ${name}) ${action(options.flatMap(spellings))};;`
}

function operandCases({ name, first, rest }: CompletedCommand): string[] {
  const cases = first === 'none' ? [] : [`    '${name} 0') ${action(first)};;`]
  return rest === 'none' ? cases : [...cases, `    '${name} '*) ${action(rest)};;`]
}

function action(completion: Completion): string {
  if (completion === 'none') return ''
  if (completion === 'file') return '_gateway_paths -f; '
  if (completion === 'directory') return '_gateway_paths -d; '
  return `COMPREPLY=($(compgen -W '${completion.join(' ')}' -- "$cur")); `
}

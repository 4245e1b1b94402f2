import type { Completion } from '../command-syntax.ts'
import type { CompletedCommand, CompletedOption } from './completed-command.ts'

/** A completion script for zsh, for a folder of `fpath` or to be sourced after `compinit`. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(':', '\\:')}`)}`)
  return `#compdef gateway
# zsh completion of gateway, made by: gateway completion zsh
_gateway() {
  local context state state_descr line
  typeset -A opt_args
  local -a commands
  commands=(
${described.join('\n')}
  )
  _arguments -C '(- *)--help[Show the commands.]' '(- *)--version[Print versions.]' '1:command:->command' '*::argument:->argument' && return
  case $state in
    command) _describe -t commands command commands ;;
    argument)
      case $words[1] in
${commands.map(commandCase).join('\n')}
      esac
      ;;
  esac
}

if [ "$funcstack[1]" = _gateway ]; then
  _gateway "$@"
else
  compdef _gateway gateway
fi
`
}

function commandCase({ name, options, first, rest }: CompletedCommand): string {
  const specs = [
    ...options.map(optionSpec),
    ...(first === 'none' ? [] : [quoted(`1:argument:${action(first)}`)]),
    ...(rest === 'none' ? [] : [quoted(`*:argument:${action(rest)}`)]),
  ]
  const lines = specs.map((spec) => `            ${spec}`).join(' \\\n')
  return `        ${name})\n          _arguments -s \\\n${lines}\n          ;;`
}

function optionSpec({ name, short, description, value, placeholder }: CompletedOption): string {
  const help = `[${description.replaceAll(/[[\]\\:]/g, '\\$&')}]`
  const argument = value === null ? '' : `:${placeholder.replaceAll(':', '\\:')}:${action(value)}`
  const sign = value === null ? '' : '='
  const long = quoted(`*--${name}${sign}${help}${argument}`)
  if (short === null) return long
  // -Dname=value: the value may follow directly.
  return `${long} ${quoted(`*-${short}${value === null ? '' : '+'}${help}${argument}`)}`
}

function action(completion: Completion): string {
  if (completion === 'none') return ' '
  if (completion === 'file') return '_files'
  return completion === 'directory' ? '_files -/' : `(${completion.join(' ')})`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

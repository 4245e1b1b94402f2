import type { Completion } from '../command-syntax.ts'
import type { CompletedCommand, CompletedOption } from './completed-command.ts'

/** A completion script for fish 3. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  return `# fish completion of gateway, made by: gateway completion fish
# Whether the command of the line is the named one.
function __gateway_command
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    test (count $words) -gt 1; and test "$words[2]" = $argv[1]
end

# Whether the word at the cursor is the first operand, or one of the rest.
function __gateway_operand
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l operands 0
    set -l is_value false
    for word in $words[3..-1]
        if test $is_value = true
            set is_value false
        else if contains -- $word ${valueOptions(commands).join(' ')}
            set is_value true
        else if not string match --quiet -- '-*' $word
            set operands (math $operands + 1)
        end
    end
    test $argv[1] = first -a $operands -eq 0; or test $argv[1] = rest -a $operands -gt 0
end

complete --command gateway --no-files
${commands.flatMap(commandLines).join('\n')}
`
}

function commandLines({ name, summary, options, first, rest }: CompletedCommand): string[] {
  const here = `__gateway_command ${name}`
  const base = `complete --command gateway --condition`
  const operand = (completion: Completion, position: 'first' | 'rest'): string[] => {
    if (completion === 'none') return []
    return [`${base} '${here}; and __gateway_operand ${position}' ${action(completion)}`]
  }
  return [
    `${base} '__fish_use_subcommand' --arguments ${name} --description ${quoted(summary)}`,
    ...options.map((option) => `${base} '${here}' ${optionWords(option)}`),
    ...operand(first, 'first'),
    ...operand(rest, 'rest'),
  ]
}

/** Options whose value is the next word; an option of one name has a value in every command, or in none. */
function valueOptions(commands: readonly CompletedCommand[]): string[] {
  const valued = commands.flatMap(({ options }) => options.filter(({ value }) => value !== null))
  return [...new Set(valued.flatMap(({ name, short }) => [`--${name}`, ...(short === null ? [] : [`-${short}`])]))]
}

function optionWords({ name, short, description, value }: CompletedOption): string {
  const names = short === null ? `--long-option ${name}` : `--long-option ${name} --short-option ${short}`
  // An exclusive parameter is completed by its own words only.
  const argument = value === null ? '' : ` ${value === 'file' ? '--require-parameter' : '--exclusive'} ${action(value)}`
  return `${names}${argument} --description ${quoted(description)}`
}

function action(completion: Completion): string {
  if (completion === 'file') return '--force-files'
  if (completion === 'directory') return `--arguments '(__fish_complete_directories)'`
  return completion === 'none' ? '' : `--arguments '${completion.join(' ')}'`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

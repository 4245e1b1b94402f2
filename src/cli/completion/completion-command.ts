import { named } from '../arguments.ts'
import type { Command, CommandEntry } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { writeJson } from '../terminal.ts'
import { bashCompletion } from './bash.ts'
import { type CompletedCommand, completedCommands } from './completed-command.ts'
import { fishCompletion } from './fish.ts'
import { zshCompletion } from './zsh.ts'

const SHELLS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

/** `gateway completion`: scripts for shells, from the definitions of all commands. */
export function completionCommand(entries: readonly CommandEntry[]): Command {
  return {
    usage: ['completion bash|zsh|fish [--json]'],
    description: [
      'Prints a script that completes commands, options and their values in a shell. Write it to the folder from which the shell loads completions, and again after an upgrade. With --json it prints the commands and options that the scripts complete.',
    ],
    options: [],
    operands: { least: 1, most: 1, complete: Object.keys(SHELLS) },
    examples: [
      { line: 'gateway completion bash > /etc/bash_completion.d/gateway', note: 'bash' },
      { line: 'gateway completion zsh > /usr/local/share/zsh/site-functions/_gateway', note: 'zsh' },
      { line: 'gateway completion fish > ~/.config/fish/completions/gateway.fish', note: 'fish' },
    ],
    exits: [],
    async run(args, { stdout }) {
      const [shell = ''] = args.operands
      const script = named(SHELLS, shell)
      const commands = await completedCommands(entries)
      if (args.json) writeJson(stdout, commands)
      else stdout.write(script(commands))
      return EXIT.ok
    },
  }
}

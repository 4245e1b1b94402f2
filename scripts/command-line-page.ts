// docs/guide/command-line.md, generated from the help texts of the commands.
import { COMMANDS } from '../src/cli/commands.ts'
import { helpOf, overview } from '../src/cli/help.ts'

/** Path of the page in the repository. */
export const COMMAND_LINE_PAGE = 'docs/guide/command-line.md'

const INTRODUCTION = `<!-- Made by \`npm run generate\` from the help texts in src/cli. Do not edit. -->

# Command line

The package installs the command \`gateway\`; \`bin/gateway\` runs it from a checkout. Every command takes \`--help\` and
\`--json\`. Exit codes are the same everywhere: 0 success, 1 failed, 2 forced stop, 64 a command line that was not
understood, 69 a running gateway that can not be reached, 74 output that can not be written, 75 a store that can not be
reached, 78 configuration that can not be used.
`

export async function commandLinePage(): Promise<string> {
  const plain = (_style: string, text: string): string => text
  const sections = [INTRODUCTION, fenced(overview(COMMANDS, 'VERSION', plain))]
  for (const entry of COMMANDS) {
    sections.push(`## ${entry.name}\n`, fenced(helpOf(entry, await entry.load(), plain)))
  }
  return sections.join('\n')
}

function fenced(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`
}

import type { Command } from './command.ts'
import { EXIT } from './exit-codes.ts'
import { aligned, writeJson } from './terminal.ts'
import { platformVersions, VERSION } from './version.ts'

/** `gateway version`. */
export const command: Command = {
  usage: ['version [--json]'],
  description: ['Prints the versions of the gateway and its platform, for bug reports.'],
  options: [],
  operands: { least: 0, most: 0 },
  examples: [{ line: 'gateway version --json', note: 'for a script' }],
  exits: [],
  async run({ json }, { stdout }) {
    const versions = { gateway: VERSION.version, revision: VERSION.revision, ...platformVersions() }
    if (json) writeJson(stdout, versions)
    else
      stdout.write(`${aligned(Object.entries(versions).map(([name, value]) => [name, value ?? 'none'])).join('\n')}\n`)
    return EXIT.ok
  },
}

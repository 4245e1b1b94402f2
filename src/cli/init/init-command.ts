import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { shownPath } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { shellWord } from '../shell-word.ts'
import { paintFor, writeJson } from '../terminal.ts'
import { createInstance, existingFiles, PASSWORD_FILE, SAMPLE_ROUTE_FILE } from './instance-layout.ts'

/** `gateway init`: a new instance directory. */
export const command: Command = {
  usage: ['init DIR [--json]'],
  description: [
    'Creates an instance directory: listeners in config/admin.json, one sample route in config/routes, a random password for the management API, and the folders of an instance. Existing files are never changed: if DIR contains any of them, nothing is done.',
  ],
  options: [],
  operands: { least: 1, most: 1, complete: 'directory' },
  examples: [{ line: 'gateway init ./my-gateway', note: 'then: gateway run --instance ./my-gateway' }],
  exits: [[EXIT.failed, 'DIR contains an instance already, or can not be written']],
  async run({ operands, json }, context) {
    const directory = resolve(operands[0] as string)
    try {
      const found = isFile(directory) ? ['a file of that name'] : existingFiles(directory)
      if (found.length > 0) return refuse(`${directory} is not touched: it holds ${found.join(', ')} already`, context)
      const files = createInstance(directory)
      if (json) writeJson(context.stdout, { instance: directory, files })
      else printNextSteps(directory, context)
      return EXIT.ok
    } catch (error) {
      return refuse(`${directory} can not be made: ${(error as Error).message}`, context)
    }
  },
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false
}

function refuse(reason: string, { stderr }: ProcessContext): number {
  stderr.write(`gateway: init: ${reason}\n`)
  return EXIT.failed
}

function printNextSteps(directory: string, context: ProcessContext): void {
  const { stdout } = context
  const paint = paintFor(stdout, context)
  const near = shownPath(directory)
  const instance = shellWord(near)
  const password = shellWord(join(near, PASSWORD_FILE))
  const next = [
    ['# serve it', `gateway run --instance ${instance}`],
    ['# in another terminal', 'curl http://localhost:8080/hello'],
    [`# after you changed ${join(near, SAMPLE_ROUTE_FILE)}`, `gateway validate --instance ${instance}`],
    ['# the management API', `curl -u "admin:$(cat ${password})" http://localhost:8085/api/info`],
  ]
  const lines = next.map(
    ([why, line]) => `  ${paint('dim', why as string)}
  ${line}`,
  )
  stdout.write(`${paint('green', `made the instance ${near}`)}\n\nNext:\n${lines.join('\n')}\n`)
}

import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { shownPath } from '../problems.ts'
import { shellWord } from '../shell-word.ts'
import type { Surroundings } from '../surroundings.ts'
import { paintFor, writeJson } from '../terminal.ts'
import { createInstance, inTheWay, PASSWORD_FILE, SAMPLE_ROUTE_FILE } from './instance-layout.ts'

/** `gateway init`: a new instance directory. */
export const InitCommand: Command = {
  usage: ['init DIR [--json]'],
  description: [
    'Makes an instance directory: listeners in config/admin.json, one sample route in config/routes, a random password for the management API, and the folders the gateway looks into. Nothing that exists is changed: if DIR holds any of them already, nothing is done.',
  ],
  options: [],
  operands: { least: 1, most: 1 },
  examples: [{ line: 'gateway init ./my-gateway', note: 'then: gateway run --instance ./my-gateway' }],
  exits: [[EXIT.failed, 'DIR holds an instance already, or can not be written']],
  async run({ operands, json }, surroundings) {
    const directory = resolve(operands[0] as string)
    try {
      const found = isFile(directory) ? ['a file of that name'] : inTheWay(directory)
      if (found.length > 0)
        return refuse(`${directory} is not touched: it holds ${found.join(', ')} already`, surroundings)
      const files = createInstance(directory)
      if (json) writeJson(surroundings.stdout, { instance: directory, files })
      else tellWhatNext(directory, surroundings)
      return EXIT.ok
    } catch (error) {
      return refuse(`${directory} can not be made: ${(error as Error).message}`, surroundings)
    }
  },
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false
}

function refuse(reason: string, { stderr }: Surroundings): number {
  stderr.write(`gateway: init: ${reason}\n`)
  return EXIT.failed
}

function tellWhatNext(directory: string, surroundings: Surroundings): void {
  const { stdout } = surroundings
  const paint = paintFor(stdout, surroundings)
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

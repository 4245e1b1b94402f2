import { readFileSync } from 'node:fs'
import type { Response } from '#http'
import { type Arguments, UsageError } from '../arguments.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import type { ProcessContext } from '../process-context.ts'
import { writeJson } from '../terminal.ts'
import { argumentsIn, runScript } from './run-script.ts'
import { problemsOf } from './script-file.ts'

const SUBCOMMANDS = ['check', 'run', 'migrate']
const DEFAULT_TIMEOUT = 1_000
const MAX_BODY = 16 * 1024 * 1024

/** `gateway script`: checks and runs scripts in files. */
export const command: Command = {
  usage: [
    'script check FILE... [--args JSON] [--json]',
    'script run FILE [--request FILE] [--args JSON] [--timeout MS] [--json]',
    'script migrate FILE',
  ],
  description: [
    'check compiles scripts (.groovy, .js, .ts) without running them: one line for each problem, FILE:LINE:COLUMN: MESSAGE. For Groovy these include all unknown classes, methods and properties, and as warnings functions that are not declared; with --args, the arguments of the scripts, also variables. gateway validate knows the arguments of each script.',
    'run evaluates a script as a ScriptableFilter or ScriptableHandler does, for the request in --request (format as in gateway eval), and prints the response. next responds with 200. No request is sent: requests of the script with http get 502 and are listed on standard error.',
    'migrate translates a Groovy script to TypeScript, for manual review. Lines with // LOOK mark differences of the two languages, with line and column of the Groovy file.',
  ],
  options: [
    { name: 'request', value: 'FILE', description: 'The request of the script.' },
    { name: 'args', value: 'JSON', description: 'Arguments of the script, as a JSON object.' },
    { name: 'timeout', value: 'MS', description: 'Longest run, pauses not counted, in milliseconds; 1000 by default.' },
  ],
  operands: { least: 2, most: 10_000, complete: SUBCOMMANDS, completeRest: 'file' },
  examples: [
    { line: 'gateway script check scripts/groovy/*.groovy', note: 'before an upgrade' },
    {
      line: `gateway script run filter.groovy --request request.json --args '{"realm": "/"}'`,
      note: 'one evaluation',
    },
  ],
  exits: [[EXIT.failed, 'a script has problems, throws, is stopped, or can not be read']],
  async run(args, context) {
    const [subcommand = '', ...files] = args.operands
    if (subcommand === 'check') return await check(files, args, context)
    if (subcommand === 'migrate') return await migrate(files, context)
    if (subcommand === 'run') return await run(files, args, context)
    throw new UsageError(`expected ${SUBCOMMANDS.join(' or ')}, got "${subcommand}"`, {
      word: subcommand,
      known: SUBCOMMANDS,
    })
  },
}

async function check(files: readonly string[], args: Arguments, { stdout }: ProcessContext): Promise<number> {
  const given = args.value('args')
  const names = given === undefined ? null : Object.keys(argumentsIn(given))
  const problems = (await Promise.all(files.map((file) => problemsOf(file, names)))).flat()
  if (args.json) writeJson(stdout, problems)
  else {
    for (const { file, line, column, message, severity } of problems) {
      stdout.write(`${file}:${line}:${column}: ${severity === 'warning' ? 'warning: ' : ''}${message}\n`)
    }
  }
  return problems.some(({ severity }) => severity === 'error') ? EXIT.failed : EXIT.ok
}

async function run(files: readonly string[], args: Arguments, context: ProcessContext): Promise<number> {
  const [file = '', ...more] = files
  if (more.length > 0) throw new UsageError('script run: expected one file')
  const timeout = Number(args.value('timeout') ?? DEFAULT_TIMEOUT)
  if (!Number.isInteger(timeout) || timeout < 10) throw new UsageError('script run: --timeout: expected at least 10 ms')
  const { stdout, stderr, env } = context
  try {
    const response = await runScript({
      file,
      request: args.value('request'),
      args: args.value('args'),
      timeout,
      environment: env,
      log: { write: (text) => void stderr.write(text) },
    })
    await show(response, args.json, context)
    return EXIT.ok
  } catch (error) {
    if (error instanceof UsageError) throw error
    if (args.json) writeJson(stdout, { error: { message: (error as Error).message } })
    else stderr.write(`gateway: script: ${(error as Error).message}\n`)
    return EXIT.failed
  }
}

async function migrate(files: readonly string[], { stdout, stderr }: ProcessContext): Promise<number> {
  const [file = '', ...more] = files
  if (more.length > 0) throw new UsageError('script migrate: expected one file')
  try {
    const { migrateScript } = await import('../migrate/migrate-command.ts')
    stdout.write(migrateScript(readFileSync(file, 'utf8'), file))
    return EXIT.ok
  } catch (error) {
    stderr.write(`gateway: script: ${(error as Error).message}\n`)
    return EXIT.failed
  }
}

async function show(response: Response | null, json: boolean, { stdout }: ProcessContext): Promise<void> {
  if (response === null) throw new Error('the script returned null in place of a Response')
  await response.body.read(MAX_BODY)
  const entity = response.body.text()
  const headers = [...response.headers]
  if (json) {
    writeJson(stdout, { status: response.status, reason: response.reason, headers, entity })
    return
  }
  const fields = headers.map(([name, value]) => `${name}: ${value}\n`).join('')
  stdout.write(`${response.status} ${response.reason}\n${fields}\n${entity}${entity.endsWith('\n') ? '' : '\n'}`)
}

import { compile, ExpressionSyntaxError, isExpression } from '#expression'
import { exchangeScope, plainValue } from '#http'
import { instanceDirectories, instanceDirectory, rootProperties, type SystemProperties } from '#instance'
import { LogEvent } from '#logging'
import { reportUnknownNames } from '#schema'
import type { Arguments } from '../arguments.ts'
import type { Command } from '../command.ts'
import { SILENT_LOGGER } from '../dry-run/silent-logger.ts'
import { EXIT } from '../exit-codes.ts'
import { DEFINE_OPTION, definedProperties, INSTANCE_OPTION } from '../instance-settings.ts'
import type { ProcessContext } from '../process-context.ts'
import { paintFor, writeJson } from '../terminal.ts'
import { exchangeOf } from './request-file.ts'

/** `gateway eval`: the value of one expression. */
export const command: Command = {
  usage: ['eval EXPRESSION [--request FILE] [-Dname=value]... [--json]'],
  description: [
    'Evaluates an expression as a route does, and prints its value: text unchanged, other values as JSON. The ${} around a single expression is optional.',
    'FILE contains the request as JSON: {"method", "uri", "headers", "entity"}, each optional; without it the request is GET http://localhost/.',
  ],
  options: [
    { name: 'request', value: 'FILE', description: 'The request of the expression.' },
    { ...INSTANCE_OPTION, description: 'Instance directory, `gateway` in the expression.' },
    DEFINE_OPTION,
  ],
  operands: { least: 1, most: 1 },
  examples: [
    { line: `gateway eval "toUpperCase('abc')"`, note: 'a function' },
    { line: 'gateway eval \'${find(request.uri.path, "^/shop")}\' --request request.json', note: 'a condition' },
  ],
  exits: [[EXIT.failed, 'it can not be parsed or evaluated, or FILE can not be read']],
  async run(args, context) {
    const text = args.operands[0] as string
    const system = definedProperties(args, context)
    // `1 + 2` is an expression here: plain text needs no evaluation.
    const source = isExpression(text) ? text : `\${${text}}`
    try {
      const value = plainValue(evaluate(source, args, system, context))
      if (typeof value === 'string' && !args.json) context.stdout.write(`${value}\n`)
      else writeJson(context.stdout, value)
      return EXIT.ok
    } catch (error) {
      const shift = source.length === text.length ? 0 : 2
      return fail(error as Error, text, shift, args.json, context)
    }
  },
}

function evaluate(source: string, args: Arguments, system: SystemProperties, context: ProcessContext): unknown {
  const expression = compile(source)
  const { env, stderr } = context
  // An expression needs no instance, and so no home directory.
  const instance = instanceDirectory(args.value('instance'), env) ?? process.cwd()
  const clock = { now: () => Date.now(), monotonic: () => performance.now() }
  const { scope } = rootProperties({
    directories: instanceDirectories(instance),
    mode: 'PRODUCTION',
    env,
    system,
    clock,
    logger: {
      ...SILENT_LOGGER,
      warn: (first: unknown, message?: unknown) => {
        const said = message ?? first
        stderr.write(`warning: ${said instanceof LogEvent ? said.message : String(said)}\n`)
      },
    },
  })
  const warn = (_pointer: string, message: string): void => void stderr.write(`warning: ${message}\n`)
  reportUnknownNames(expression, { scope, warn, report: warn }, '', 'it is null here')
  return expression.evaluate(exchangeScope(requestIn(args.value('request')), null, scope))
}

function requestIn(file: string | undefined): ReturnType<typeof exchangeOf> {
  try {
    return exchangeOf(file)
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error })
  }
}

function fail(error: Error, text: string, shift: number, json: boolean, context: ProcessContext): number {
  const { stderr } = context
  const offset = error instanceof ExpressionSyntaxError ? Math.max(0, error.offset - shift) : null
  if (json) {
    writeJson(stderr, { error: { message: error.message, ...(offset !== null && { offset }) } })
    return EXIT.failed
  }
  const paint = paintFor(stderr, context)
  if (offset !== null && !text.includes('\n')) stderr.write(`  ${text}\n  ${' '.repeat(offset)}${paint('red', '^')}\n`)
  stderr.write(`gateway: eval: ${error.message}\n`)
  return EXIT.failed
}

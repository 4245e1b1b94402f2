import { Arguments, UnusableConfiguration, UsageError } from './arguments.ts'
import { COMMANDS } from './commands.ts'
import { EXIT } from './exit-codes.ts'
import { helpOf, overview } from './help.ts'
import type { ProcessContext } from './process-context.ts'
import { systemErrorText } from './system-error.ts'
import { paintFor } from './terminal.ts'
import { VERSION } from './version.ts'

/** Runs a command line, without the name of the program; resolves to the exit code. */
export async function runCommand(words: readonly string[], context: ProcessContext): Promise<number> {
  try {
    return await dispatch(words, context)
  } catch (error) {
    const [command] = words
    if (error instanceof UnusableConfiguration) {
      context.stderr.write(`${error.message}\n`)
      return EXIT.configuration
    }
    if (!(error instanceof UsageError)) return reportSystemError(error, command ?? '', context)
    const known = COMMANDS.some(({ name }) => name === command)
    // A message about a subcommand names it: `script run: ...`.
    const where = !known || error.message.startsWith(`${command} `) ? '' : `${command}: `
    const advice = known ? `gateway ${command} --help` : 'gateway help'
    context.stderr.write(`gateway: ${where}${error.message}${await suggestion(error)}\nTry: ${advice}\n`)
    return EXIT.usage
  }
}

/** A full disk or a taken port is no fault of the command: one sentence. Any other error is thrown, with its stack. */
function reportSystemError(error: unknown, command: string, { env, stderr }: ProcessContext): number {
  const text = env['GATEWAY_LOG_LEVEL'] === 'debug' ? null : systemErrorText(error)
  if (text === null) throw error
  stderr.write(`gateway: ${command}: ${text}\n`)
  return EXIT.failed
}

async function suggestion({ misspelled }: UsageError): Promise<string> {
  if (misspelled === null) return ''
  // Loaded here: commands that do not need it start much faster.
  const { didYouMean } = await import('#schema')
  return didYouMean(misspelled.word, misspelled.known)
}

async function dispatch([first, ...rest]: readonly string[], context: ProcessContext): Promise<number> {
  const { stdout } = context
  const paint = paintFor(stdout, context)
  if (first === '--version') return dispatch(['version', ...rest], context)
  if (first === undefined || ['help', '--help', '-h'].includes(first)) {
    const [topic] = rest
    if (topic !== undefined && !topic.startsWith('-')) return dispatch([topic, '--help'], context)
    stdout.write(overview(COMMANDS, VERSION.version, paint))
    return EXIT.ok
  }
  const entry = COMMANDS.find(({ name }) => name === first)
  if (entry === undefined) throw unknown(first)
  const command = await entry.load()
  const args = Arguments.read(rest, command)
  if (args.has('help')) {
    stdout.write(helpOf(entry, command, paint))
    return EXIT.ok
  }
  return command.run(args, context)
}

function unknown(word: string): UsageError {
  const what = word.startsWith('-') ? 'option' : 'command'
  return new UsageError(`unknown ${what} ${JSON.stringify(word)}`, { word, known: COMMANDS.map(({ name }) => name) })
}

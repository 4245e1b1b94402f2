import { parseArgs } from 'node:util'
import type { CommandOption, CommandSyntax } from './command-syntax.ts'

/** An invalid command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** A misspelled argument, with suggestions. */
  readonly misspelled: { readonly word: string; readonly known: readonly string[] } | null

  constructor(message: string, misspelled: UsageError['misspelled'] = null) {
    super(message)
    this.misspelled = misspelled
  }
}

/** Configuration that a command line names and that can not be used; the message has its location. */
export class UnusableConfiguration extends Error {
  override readonly name = 'UnusableConfiguration'
}

/** Options of every command. */
export const SHARED_OPTIONS: readonly CommandOption[] = [
  { name: 'json', description: 'Write JSON.' },
  { name: 'help', short: 'h', description: 'Show this help.' },
]

/** The arguments of a command line, parsed by the command's syntax. */
export class Arguments {
  readonly operands: readonly string[]
  readonly #values: ReadonlyMap<string, readonly string[]>

  private constructor(operands: readonly string[], values: ReadonlyMap<string, readonly string[]>) {
    this.operands = operands
    this.#values = values
  }

  /** Parses the arguments after the command's name. Throws UsageError. */
  static read(words: readonly string[], command: CommandSyntax): Arguments {
    const known = [...command.options, ...SHARED_OPTIONS]
    const { tokens } = parseArgs({
      args: [...words],
      strict: false,
      allowPositionals: true,
      tokens: true,
      options: Object.fromEntries(known.map((option) => [option.name, parserOption(option)])),
    })
    const operands: string[] = []
    const values = new Map<string, string[]>()
    for (const token of tokens) {
      if (token.kind === 'positional') operands.push(token.value)
      if (token.kind !== 'option') continue
      const option = known.find(({ name }) => name === token.name)
      if (option === undefined) throw unknownOption(token.rawName, known)
      const value = givenValue(option, token)
      const before = values.get(option.name) ?? []
      if (before.length > 0 && !option.repeated && option.value !== undefined)
        throw new UsageError(`${token.rawName} is given twice`)
      values.set(option.name, [...before, value])
    }
    const args = new Arguments(operands, values)
    if (!args.has('help')) checkOperands(operands, command)
    return args
  }

  has(option: string): boolean {
    return this.#values.has(option)
  }

  /** The value of an option; undefined without it. */
  value(option: string): string | undefined {
    return this.#values.get(option)?.[0]
  }

  values(option: string): readonly string[] {
    return this.#values.get(option) ?? []
  }

  /** Whether the output is JSON. */
  get json(): boolean {
    return this.has('json')
  }
}

/** The entry of a table that an argument names. Throws UsageError. */
export function named<T>(table: Readonly<Record<string, T>>, word: string): T {
  if (Object.hasOwn(table, word)) return table[word] as T
  const known = Object.keys(table)
  throw new UsageError(`expected ${known.join(', ')}, got ${JSON.stringify(word)}`, { word, known })
}

function parserOption({ short, value }: CommandOption) {
  const type = value === undefined ? ('boolean' as const) : ('string' as const)
  return { type, ...(short !== undefined && { short }) }
}

function givenValue(
  option: CommandOption,
  token: { readonly rawName: string; readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
): string {
  if (option.value === undefined) {
    if (token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`)
    return ''
  }
  // An argument that starts with `-` is not a value, except in the form `--name=-x`.
  if (token.value === undefined || (!token.inlineValue && /^-./.test(token.value))) {
    throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${option.value}`)
  }
  if (token.value === '' && option.value === 'DIR') throw new UsageError(`${token.rawName} is empty; ${NO_FOLDER}`)
  return token.value
}

const NO_FOLDER = 'name a folder, or . for the current one'

function unknownOption(rawName: string, known: readonly CommandOption[]): UsageError {
  return new UsageError(`unknown option ${rawName}`, { word: rawName, known: known.map(({ name }) => `--${name}`) })
}

function checkOperands(operands: readonly string[], command: CommandSyntax): void {
  const { least, most, complete } = command.operands
  const form = `usage: gateway ${command.usage[0]}`
  if (operands.length < least) throw new UsageError(`missing argument; ${form}`)
  if (operands.length > most) throw new UsageError(`unexpected argument ${JSON.stringify(operands[most])}; ${form}`)
  if (operands.includes('') && (complete === 'directory' || complete === 'file')) {
    throw new UsageError(
      `an argument is empty; ${complete === 'directory' ? NO_FOLDER : 'name a file or a folder'}; ${form}`,
    )
  }
}

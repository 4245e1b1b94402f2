import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CATALOGUE } from '#catalogue'
import { writeDurably } from '#files'
import { Catalogue } from '#heap'
import { AdminDocument, ExtensionError, instanceDirectories } from '#instance'
import { documentText, isPlainObject, JsonSyntaxError, type JsonValue, readDocument } from '#json'
import { type Arguments, UsageError } from '../arguments.ts'
import type { Command } from '../command.ts'
import type { CommandOption } from '../command-syntax.ts'
import { EXIT } from '../exit-codes.ts'
import { chosenInstance, extensionProblem, INSTANCE_OPTION, instanceTypes } from '../instance-settings.ts'
import { locateProblems, problemsOf } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { TypesOfDocument } from './documents/migrated-document.ts'
import { migratedText } from './documents/migrated-text.ts'
import { type ConfigFile, configFiles } from './instance-files.ts'
import { type MigratedFile, reportMigration } from './migration-report.ts'
import { MovedSecrets } from './moved-secrets.ts'

export { migrateScript } from './scripts/migrate-script.ts'

const WRITE: CommandOption = { name: 'write', description: 'Write the files; otherwise nothing is changed.' }
const MOVE_SECRETS: CommandOption = {
  name: 'move-secrets',
  description: 'Move secrets in clear text to files in the folder secrets of the instance, readable by their owner.',
}

/** `gateway migrate`: rewrites files of other dialects in the current spelling. */
export const command: Command = {
  usage: ['migrate [--write] [--move-secrets] [INSTANCE|FILE...]'],
  description: [
    'Rewrites files of OpenIG, ForgeRock IG and PingGateway in the spelling of today: fields, types, values and keys that are accepted with a warning. Comments, order and formatting stay. The result has the same effect, and a second migration changes nothing.',
    'The changes are a unified diff on standard output, which patch -p1 applies; it has the secrets in clear text that the files have. It is followed by the parts that a person has to decide, as lines "file:line:column: /json/pointer: reason"; positions are those of the new text.',
    'A directory is an instance: admin.json, config.json and all files of routes below config are migrated. Any other FILE is a route, unless it is called admin.json or config.json. A file that does not parse is left as it is.',
  ],
  options: [WRITE, MOVE_SECRETS, INSTANCE_OPTION],
  operands: { least: 0, most: Number.POSITIVE_INFINITY, complete: 'file' },
  examples: [
    { line: 'gateway migrate ./my-gateway', note: 'show what would change' },
    { line: 'gateway migrate --write --move-secrets ./my-gateway', note: 'migrate an instance' },
    { line: 'gateway migrate old-route.json', note: 'one file' },
  ],
  exits: [[EXIT.configuration, 'a file can not be read or is not JSON; others are migrated']],
  async run(args, context) {
    const files = [
      ...new Map(
        operandsOf(args, context)
          .flatMap(filesOf)
          .map((file) => [file.path, file]),
      ).values(),
    ]
    const secrets = args.has(MOVE_SECRETS.name) ? secretsOf(files) : null
    const migrated: MigratedFile[] = []
    for (const file of files) migrated.push(await migrate(file, secrets))
    const moved = secrets?.ids ?? []
    if (args.has(WRITE.name)) await write(migrated, secrets)
    reportMigration(migrated, moved, args.has(WRITE.name), context)
    return migrated.some(({ problems }) => problems.length > 0) ? EXIT.configuration : EXIT.ok
  },
}

function operandsOf(args: Arguments, context: ProcessContext): readonly string[] {
  if (args.operands.length === 0) return [chosenInstance(args, context).instance]
  if (args.has(INSTANCE_OPTION.name))
    throw new UsageError(`give the instance either as argument or by --${INSTANCE_OPTION.name}`)
  return args.operands
}

/** The files of an operand; one that does not exist is reported when it is read. */
function filesOf(operand: string): readonly ConfigFile[] {
  const files = readFileList(operand)
  if (files.length > 0) return files
  throw new UsageError(
    `${operand} has no files to migrate: expected an instance, with a folder config, or *.json files`,
  )
}

function readFileList(operand: string): readonly ConfigFile[] {
  try {
    return configFiles(operand)
  } catch (error) {
    throw new UsageError(`${operand} can not be read: ${(error as Error).message}`)
  }
}

/** The secrets of the one instance of all files. */
function secretsOf(files: readonly ConfigFile[]): MovedSecrets {
  const instances = new Set(files.map(({ instance }) => instance))
  const [instance = null] = instances
  if (instances.size > 1 || instance === null) {
    throw new UsageError(`--${MOVE_SECRETS.name} needs files of one instance, below its folder config`)
  }
  return new MovedSecrets(instanceDirectories(instance).secrets)
}

async function migrate(file: ConfigFile, secrets: MovedSecrets | null): Promise<MigratedFile> {
  const { path, type, defaults, instance } = file
  let before = ''
  try {
    // Reading a pipe would wait for its writer.
    if (instance !== null && !statSync(path).isFile()) throw new Error('it is not a regular file')
    before = documentText(readFileSync(path))
    const types = instance === null ? CATALOGUE : await instanceTypes(instanceDirectories(instance))
    const catalogue = new Catalogue(types)
    const around = heapOf(instance, path)
    const { document, decisions } = await migratedText(
      before,
      catalogue,
      (json) => ({
        type,
        types: new TypesOfDocument(catalogue, [[...defaults], around, json['heap']]),
        isAdmin: type === AdminDocument,
        movesSecrets: secrets !== null,
      }),
      secrets?.substitute,
    )
    return { path, before, after: document.text, decisions: locateProblems(path, document, decisions), problems: [] }
  } catch (error) {
    const problems =
      error instanceof ExtensionError && instance !== null
        ? [extensionProblem(error, instanceDirectories(instance))]
        : locateProblems(path, null, problemsOf(error))
    return { path, before, after: before, decisions: [], problems }
  }
}

/** The heap of config.json, which routes inherit. */
function heapOf(instance: string | null, path: string): JsonValue | undefined {
  const file = instance === null ? null : join(instance, 'config', 'config.json')
  if (file === null || file === path || basename(path) === 'admin.json' || !existsSync(file)) return undefined
  try {
    const { value } = readDocument(documentText(readFileSync(file)))
    return isPlainObject(value) ? (value['heap'] as JsonValue | undefined) : undefined
  } catch (error) {
    // Reported with that file.
    if (error instanceof JsonSyntaxError) return undefined
    throw error
  }
}

/** Secrets first: a document must not name a secret that has no file. */
async function write(files: readonly MigratedFile[], secrets: MovedSecrets | null): Promise<void> {
  await secrets?.write()
  for (const { path, before, after } of files) {
    if (after === before) continue
    const target = realpathSync(path)
    await writeDurably(dirname(target), basename(target), after)
  }
}

import { createHash } from 'node:crypto'
import { isAbsolute, join, resolve } from 'node:path'
import {
  ACCESS_NAMES,
  BUILT_IN_TOPICS,
  COMPATIBLE_NAMES,
  findTopic,
  readTopicSchemas,
  spoolsFolder,
  TopicSchemaError,
  type WrittenTopic,
} from '#audit'
import type { AuditEventHandler, EventFormat } from '#contracts'
import { type AuditPlan, ConfigError, didYouMean, type Environment, type Problem } from '#schema'
import type { AuditValues } from './audit-fields.ts'

/** Topics of a service. */
interface ServiceTopics {
  /** Those of all handlers, with their schemas. */
  readonly handled: readonly WrittenTopic[]
  /** Names of these and of others that handlers could have. */
  readonly known: readonly string[]
}

/** The topics of a service. Throws ConfigError for a handler with an unknown topic, and for an unusable schema. */
export function topicsOf(values: AuditValues, env: Environment): ServiceTopics {
  const { topicSchemasDirectory, eventHandlers } = values
  const folder = topicSchemasDirectory ?? 'audit-schemas'
  const directory = resolve(env.directories.instance, folder)
  const used = new Set(eventHandlers.flatMap(({ topics }) => topics))
  const { topics: custom, warnings } = readSchemas(directory, used)
  for (const warning of warnings) env.warn(warning, '/topicSchemasDirectory')
  const known = [...BUILT_IN_TOPICS.map((topic) => topic.name), ...custom.keys()]
  const problems: Problem[] = []
  const found = new Map<string, WrittenTopic>()
  for (const [at, { topics }] of eventHandlers.entries()) {
    for (const [index, name] of topics.entries()) {
      const topic = findTopic(name, custom, namesOf(values))
      if (topic !== null) {
        found.set(name, topic)
        continue
      }
      problems.push({
        pointer: `/eventHandlers/${at}/config/topics/${index}`,
        message: `unknown topic "${name}"${didYouMean(name, known)}; a custom topic needs the schema ${join(folder, `${name}.json`)}${isAbsolute(folder) ? '' : ' in the instance'}`,
      })
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { handled: [...found.values()], known }
}

/** Names in access events. */
export function namesOf({ compatibility }: Pick<AuditValues, 'compatibility'>): typeof ACCESS_NAMES {
  return compatibility ? COMPATIBLE_NAMES : ACCESS_NAMES
}

function readSchemas(directory: string, used: ReadonlySet<string>): ReturnType<typeof readTopicSchemas> {
  try {
    return readTopicSchemas(directory, used)
  } catch (error) {
    if (!(error instanceof TopicSchemaError)) throw error
    throw new ConfigError([{ pointer: '/topicSchemasDirectory', message: error.message }])
  }
}

interface ServiceParts {
  readonly handlers: readonly AuditEventHandler[]
  readonly formats: readonly EventFormat[]
  readonly topics: readonly WrittenTopic[]
}

/** The handlers as plain data for the writer. */
export function planOf(
  { config, eventHandlers }: AuditValues,
  { handlers, formats, topics }: ServiceParts,
  { name: service, directories }: Environment,
): AuditPlan {
  return {
    service,
    handlerForQueries: config.handlerForQueries ?? null,
    handlers: handlers.map(({ name, topics: names, format, transport, queue, supportsQueries }) => ({
      name,
      position: eventHandlers.findIndex((handler) => handler.name === name),
      supportsQueries,
      topics: names,
      format: formats.findIndex(({ key }) => key === format.key),
      transport: { ...transport, ...headersOf(format, topics) },
      queue: {
        ...queue,
        spool:
          queue.spool === null
            ? null
            : { ...queue.spool, directory: join(spoolsFolder(directories), folderName(service, name)) },
      },
    })),
  }
}

/** First lines of files, by topic. */
function headersOf({ header }: EventFormat, topics: readonly WrittenTopic[]): object {
  if (header === undefined) return {}
  return { headers: Object.fromEntries(topics.map(({ topic }) => [topic.name, header(topic)])) }
}

/** Readable, and different for different names. */
function folderName(service: string, handler: string): string {
  const name = `${service}+${handler}`
  const readable = name.replace(/[^A-Za-z0-9+_-]/g, '_').slice(0, 100)
  return `${readable}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
}

import { configTrailFolder, configTrailPlan, type FilesPlan } from '#audit'
import { realDirectory } from '#files'
import type { Environment, Problem } from '#schema'
import { TopicFiles } from '#trail'
import type { AuditValues } from './audit-fields.ts'

const TOPIC = 'config'

type Handlers = AuditValues['eventHandlers']

/**
 * Handlers that would write the file of the gateway's own trail of configuration changes: it would have each change twice, and two
 * writers would rotate it. Other files in that folder do no harm.
 */
export async function trailConflicts(
  handlers: Handlers,
  { directories }: Pick<Environment, 'directories'>,
): Promise<Problem[]> {
  const folder = configTrailFolder(directories)
  const { path } = new TopicFiles(configTrailPlan(folder), TOPIC)
  const { path: written } = new TopicFiles(configTrailPlan(await realDirectory(folder)), TOPIC)
  return [...handlers.entries()].flatMap(([at, { name, topics, enabled, transport }]) => {
    if (!enabled || transport.exclusive === undefined || !topics.includes(TOPIC)) return []
    const files = { ...(transport as unknown as FilesPlan), directory: transport.exclusive }
    if (new TopicFiles(files, TOPIC).path !== written) return []
    const message = `"${name}": the gateway itself writes its trail of configuration changes to ${path}; use another logDirectory, or leave out the topic "${TOPIC}"`
    return [{ pointer: `/eventHandlers/${at}/config/logDirectory`, message }]
  })
}

/** The topic in the service of a route: the gateway publishes changes to the services of config.json and admin.json alone. */
export function* routeTopicWarnings(
  handlers: Handlers,
  { name, localName }: Pick<Environment, 'name' | 'localName'>,
): Generator<Problem> {
  const heap = name.slice(0, -1 - localName.length)
  if (!heap.includes('+')) return
  for (const [at, { topics, enabled }] of handlers.entries()) {
    const index = topics.indexOf(TOPIC)
    if (!enabled || index === -1) continue
    const message = `the topic "${TOPIC}" has no events in the audit service of a route: changes of the configuration go to the services of config.json and admin.json`
    yield { pointer: `/eventHandlers/${at}/config/topics/${index}`, message }
  }
}

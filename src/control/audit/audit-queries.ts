import { BUILT_IN_TOPICS, type FilesPlan, trailCollection } from '#audit'
import type { Collection, Description } from '#crest'
import { Refusal } from '#crest'
import type { AuditPlan, HandlerPlan } from '#schema'
import { TopicFiles } from '#trail'
import type { AuditWriter } from './audit-writer.ts'

/** Collections of `/api/audit`: the trail of the configuration, and the topics of the service of config.json. */
export class AuditQueries {
  readonly #own: ReadonlyMap<string, Collection>
  readonly #writer: Pick<AuditWriter, 'queriedService'>
  /** Collections by handler and topic: cookies of paged queries live in them. */
  #collections = new WeakMap<HandlerPlan, Map<string, Collection>>()

  constructor(own: ReadonlyMap<string, Collection>, writer: Pick<AuditWriter, 'queriedService'>) {
    this.#own = own
    this.#writer = writer
  }

  /** The topics that can be queried now. */
  get topics(): ReadonlyMap<string, Collection> {
    const all = new Map(this.#own)
    for (const topic of new Set(this.#writer.queriedService?.handlers.flatMap(({ topics }) => topics))) {
      const found = this.find(topic)
      if (found !== null && !(found instanceof Refusal)) all.set(topic, found)
    }
    return all
  }

  /** The collection of a topic; a refusal where its events can not be queried, null for an unknown topic. */
  find(topic: string): Collection | Refusal | null {
    const own = this.#own.get(topic)
    if (own !== undefined) return own
    const service = this.#writer.queriedService
    if (service === null || !service.handlers.some(({ topics }) => topics.includes(topic))) return null
    const handler = queriedHandler(service, topic)
    return handler instanceof Refusal ? handler : this.#collection(handler, topic)
  }

  #collection(handler: HandlerPlan, topic: string): Collection {
    const collections = this.#collections.get(handler) ?? new Map<string, Collection>()
    this.#collections.set(handler, collections)
    let collection = collections.get(topic)
    if (collection === undefined) {
      const files = new TopicFiles(handler.transport as unknown as FilesPlan, topic)
      collection = trailCollection(files, descriptionOf(topic))
      collections.set(topic, collection)
    }
    return collection
  }
}

/** The handler that is queried for a topic; a refusal that names one that could be. */
function queriedHandler({ handlers, handlerForQueries: chosen }: AuditPlan, topic: string): HandlerPlan | Refusal {
  const able = handlers.find(({ supportsQueries, topics }) => supportsQueries && topics.includes(topic))
  if (chosen === null) return able ?? refusal('no event handler of the topic supports queries', chosen)
  // Handlers that are disabled have no plan; an unknown name is a load error.
  const handler = handlers.find(({ name }) => name === chosen)
  if (handler === undefined) return refusal(`the event handler "${chosen}" is disabled`, chosen, able)
  if (!handler.supportsQueries) return refusal(`the event handler "${chosen}" does not support queries`, chosen, able)
  if (!handler.topics.includes(topic))
    return refusal(`the event handler "${chosen}" does not take this topic`, chosen, able)
  return handler
}

function refusal(reason: string, chosen: string | null, able?: HandlerPlan): Refusal {
  if (able !== undefined)
    return new Refusal(
      501,
      `${reason}; "${able.name}" can be queried: name it in handlerForQueries of the audit service`,
    )
  const named = chosen === null ? '' : ' and name it in handlerForQueries of the audit service'
  return new Refusal(501, `${reason}; configure a JsonAuditEventHandler of the format common for the topic${named}`)
}

function descriptionOf(topic: string): Description {
  const schema = BUILT_IN_TOPICS.find(({ name }) => name === topic)?.schema ?? { type: 'object' }
  return {
    id: `gateway:audit:${topic}`,
    title: `Audit events of the topic ${topic}`,
    description: 'Events of the audit service of config.json.',
    version: '1.0',
    revisions: false,
    schema,
  }
}

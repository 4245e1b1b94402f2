import { BUILT_IN_TOPICS, type FilesPlan, TopicFiles, trailCollection } from '#audit'
import type { Collection, Description } from '#crest'
import { Refusal } from '#crest'
import type { HandlerPlan } from '#schema'
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
    const handler = this.#handler()
    if (handler === null || handler instanceof Refusal) return all
    for (const topic of handler.topics) if (!all.has(topic)) all.set(topic, this.#collection(handler, topic))
    return all
  }

  /** The collection of a topic; a refusal where its events can not be queried, null for an unknown topic. */
  find(topic: string): Collection | Refusal | null {
    const own = this.#own.get(topic)
    if (own !== undefined) return own
    const service = this.#writer.queriedService
    if (service === null || !service.handlers.some(({ topics }) => topics.includes(topic))) return null
    const handler = this.#handler()
    if (handler === null) return noHandler('no event handler supports queries')
    if (handler instanceof Refusal) return handler
    if (!handler.topics.includes(topic))
      return noHandler(`the event handler "${handler.name}" does not take this topic`)
    return this.#collection(handler, topic)
  }

  #handler(): HandlerPlan | Refusal | null {
    const service = this.#writer.queriedService
    const handler = service?.handlers.find(({ name }) => name === service.handlerForQueries) ?? null
    if (handler === null || handler.supportsQueries) return handler
    return noHandler(`the event handler "${handler.name}" does not support queries`)
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

function noHandler(reason: string): Refusal {
  const advice = 'configure a JsonAuditEventHandler for the topic and name it in handlerForQueries of the audit service'
  return new Refusal(501, `${reason}; ${advice}`)
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

import type { AuditEventHandler } from '#contracts'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import type { AuditOutlet, Clock, Counter } from '#schema'
import type { EventIds } from './event.ts'
import { EVENTS } from './log-events.ts'
import { type FilterPolicies, type TopicFilter, topicFilter } from './policies/filter-policies.ts'
import { type EventCheck, eventCheck } from './topics/topic-schemas.ts'
import type { WrittenTopic } from './topics/topics.ts'

/** Settings and services of a publisher. */
interface PublisherInput {
  readonly topics: readonly WrittenTopic[]
  readonly handlers: readonly AuditEventHandler[]
  /** Formats in the order of their numbers. */
  readonly formats: readonly AuditEventHandler['format'][]
  readonly policies: FilterPolicies
  readonly outlet: AuditOutlet
  readonly ids: EventIds
  readonly clock: Clock
  readonly logger: Logger
  readonly invalid: Counter
}

interface PublishedTopic {
  readonly name: string
  readonly filter: TopicFilter
  readonly check: EventCheck | null
  /** By number of the format. */
  readonly formatters: readonly (((event: JsonObject) => string) | undefined)[]
}

/** Completes, checks, filters and formats events, and passes them to the writer. */
export class EventPublisher {
  readonly #input: PublisherInput
  readonly #topics: ReadonlyMap<string, PublishedTopic>

  constructor(input: PublisherInput) {
    this.#input = input
    this.#topics = new Map(input.topics.map((topic) => [topic.topic.name, publishedTopic(topic, input)]))
  }

  /** The filter of a topic; null where no handler accepts it. */
  filterOf(topic: string): TopicFilter | null {
    return this.#topics.get(topic)?.filter ?? null
  }

  /** Never throws: audit must not fail a request. */
  publish(topic: string, event: JsonObject): void {
    const published = this.#topics.get(topic)
    if (published === undefined) return
    try {
      this.#publish(published, this.#completed(event))
    } catch (error) {
      this.#input.invalid.add()
      this.#input.logger.limited(topic).error({ error, topic }, EVENTS.EVENT_NOT_BUILT)
    }
  }

  /** An event with all mandatory fields and only fields that the policies allow. */
  publishFiltered(topic: string, event: JsonObject): void {
    const published = this.#topics.get(topic)
    if (published !== undefined) this.#send(published, event)
  }

  #publish(topic: PublishedTopic, event: JsonObject): void {
    const problem = topic.check?.(event) ?? null
    if (problem !== null) {
      this.#input.invalid.add()
      this.#input.logger.limited(topic.name).error({ topic: topic.name, problem }, EVENTS.EVENT_INVALID)
      return
    }
    this.#send(topic, topic.filter.filter(event))
  }

  #send({ name, formatters }: PublishedTopic, event: JsonObject): void {
    const { outlet, clock } = this.#input
    const texts = formatters.map((format) => format?.(event))
    outlet.publish({ topic: name, id: event['_id'] as string, texts, time: clock.now() })
  }

  #completed(event: JsonObject): JsonObject {
    const { ids, clock } = this.#input
    const id = ids.next()
    return { _id: id, timestamp: new Date(clock.now()).toISOString(), transactionId: id, ...event }
  }
}

function publishedTopic(written: WrittenTopic, { handlers, formats, policies }: PublisherInput): PublishedTopic {
  const { topic, safelist, excludeIf, isCustom } = written
  const excluded = excludeIf.map((pointer) => `/${topic.name}${pointer}`)
  const filter = topicFilter(topic.name, safelist, { ...policies, excludeIf: [...policies.excludeIf, ...excluded] })
  const formatters = formats.map((format) => {
    const isUsed = handlers.some((handler) => handler.format.key === format.key && handler.topics.includes(topic.name))
    return isUsed ? format.forTopic(topic) : undefined
  })
  return { name: topic.name, filter, check: isCustom ? eventCheck(topic) : null, formatters }
}

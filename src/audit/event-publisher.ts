import type { AuditEventHandler } from '#contracts'
import type { FormattedRecord, TextTarget } from '#durable-queue'
import type { SerialIds } from '#http'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import { type AuditOutlet, type Clock, type Counter, didYouMean, type RecordedEvent } from '#schema'
import type { AccessEventData, AccessNames } from './events/access-event.ts'
import { AccessFields } from './events/access-fields.ts'
import { accessFormatter, type TopicFormat } from './events/access-formatters.ts'
import { EVENTS } from './log-events.ts'
import { type FilterPolicies, type TopicFilter, topicFilter } from './policies/filter-policies.ts'
import { type EventCheck, eventCheck } from './topics/topic-schemas.ts'
import { ownTopicProblem, type WrittenTopic } from './topics/topics.ts'

/** Settings and services of a publisher. */
interface PublisherInput {
  /** Topics of enabled handlers. */
  readonly topics: readonly WrittenTopic[]
  /** Names of the custom topics of all handlers, also of disabled ones. */
  readonly customTopics: readonly string[]
  readonly handlers: readonly AuditEventHandler[]
  /** Formats in the order of their numbers. */
  readonly formats: readonly AuditEventHandler['format'][]
  readonly policies: FilterPolicies
  /** Names in access events. */
  readonly names: AccessNames
  readonly outlet: AuditOutlet
  readonly ids: SerialIds
  readonly clock: Clock
  readonly logger: Logger
  readonly invalid: Counter
}

interface PublishedTopic {
  readonly name: string
  readonly filter: TopicFilter
  readonly check: EventCheck | null
  /** By number of the format; undefined where no handler with that format accepts the topic. */
  readonly formats: readonly (TopicFormat | undefined)[]
}

type Texts = FormattedRecord['texts']

/** Publishes access events. */
interface AccessPublisher {
  readonly fields: AccessFields
  publish(data: AccessEventData, now: number): void
  eventOf(data: AccessEventData, now: number): FormattedRecord
  /** For requests that have not ended; null where no handler keeps events beyond the process. */
  readonly begin: ((data: AccessEventData, now: number) => RecordedEvent | null) | null
}

/** Completes, checks, filters and formats events, and passes them to the writer. */
export class EventPublisher {
  readonly #input: PublisherInput
  readonly #topics: ReadonlyMap<string, PublishedTopic>

  constructor(input: PublisherInput) {
    this.#input = input
    this.#topics = new Map(input.topics.map((topic) => [topic.topic.name, publishedTopic(topic, input)]))
  }

  /** The publisher of access events; null where no handler accepts them. */
  access(): AccessPublisher | null {
    const topic = this.#topics.get('access')
    if (topic === undefined) return null
    const fields = new AccessFields(topic.filter.include)
    const formatter = accessFormatter(topic.formats, topic.filter, this.#input.names, fields)
    const textsOf = (data: AccessEventData): Texts => {
      try {
        return formatter.format(data)
      } catch (error) {
        this.#notBuilt(topic.name, error)
        return topic.formats.map(() => undefined)
      }
    }
    const write: AccessTexts['write'] = (data, format, target) => {
      try {
        return formatter.write(data, format, target)
      } catch (error) {
        this.#notBuilt(topic.name, error)
        return null
      }
    }
    const { outlet } = this.#input
    const shared = { textsOf, write, idAt: formatter.idAt }
    const { begin } = outlet
    return {
      fields,
      eventOf: (data, now) => new AccessOutletEvent(data, now, shared),
      publish: (data, now) => outlet.publish(new AccessOutletEvent(data, now, shared)),
      begin: begin && ((data, now) => begin(new AccessOutletEvent(data, now, shared))),
    }
  }

  /** Publishes an event of a filter or a script. Never throws. */
  send(topic: string, event: JsonObject): void {
    const problem = this.topicProblem(topic)
    if (problem === null) {
      this.publish(topic, event)
      return
    }
    this.#input.invalid.add()
    this.#input.logger.limited(topic).error({ topic, problem }, EVENTS.TOPIC_REFUSED)
  }

  topicProblem(topic: string): string | null {
    const { customTopics } = this.#input
    if (customTopics.includes(topic)) return null
    const own = ownTopicProblem(topic)
    if (own !== null) return own
    const similar = didYouMean(topic, customTopics)
    return `no event handler of the audit service has the topic "${topic}"${similar}; add it to "topics" of a handler`
  }

  /** Publishes an event of the gateway itself. Never throws: audit must not fail a request. */
  publish(topic: string, event: JsonObject): void {
    const published = this.#topics.get(topic)
    if (published === undefined) return
    try {
      this.#publish(published, this.#completed(event))
    } catch (error) {
      this.#notBuilt(topic, error)
    }
  }

  #publish(topic: PublishedTopic, event: JsonObject): void {
    const problem = topic.check?.(event) ?? null
    if (problem !== null) {
      this.#input.invalid.add()
      this.#input.logger.limited(topic.name).error({ topic: topic.name, problem }, EVENTS.EVENT_INVALID)
      return
    }
    const { outlet, clock } = this.#input
    const filtered = topic.filter.filter(event)
    const texts = topic.formats.map((format) => format?.format(filtered))
    outlet.publish({ topic: topic.name, id: String(event['_id']), texts, time: clock.now() })
  }

  #completed(event: JsonObject): JsonObject {
    const { ids, clock } = this.#input
    const id = ids.next().text
    return { _id: id, timestamp: new Date(clock.now()).toISOString(), transactionId: id, ...event }
  }

  #notBuilt(topic: string, error: unknown): void {
    this.#input.invalid.add()
    this.#input.logger.limited(topic).error({ error, topic }, EVENTS.EVENT_NOT_BUILT)
  }
}

/** Texts of all access events of a publisher. */
interface AccessTexts {
  textsOf(data: AccessEventData): Texts
  write(data: AccessEventData, format: number, target: TextTarget): boolean | null
  readonly idAt: number | undefined
}

/** An access event for the writer. */
class AccessOutletEvent implements FormattedRecord {
  readonly topic = 'access'
  readonly time: number
  readonly #data: AccessEventData
  readonly #shared: AccessTexts
  #texts: Texts | null = null

  constructor(data: AccessEventData, time: number, shared: AccessTexts) {
    this.time = time
    this.#data = data
    this.#shared = shared
  }

  get id(): string {
    return this.#data.id.text
  }

  get idAt(): number | undefined {
    return this.#shared.idAt
  }

  write(format: number, target: TextTarget): boolean | null {
    return this.#shared.write(this.#data, format, target)
  }

  get texts(): Texts {
    this.#texts ??= this.#shared.textsOf(this.#data)
    return this.#texts
  }
}

function publishedTopic(written: WrittenTopic, { handlers, formats, policies, names }: PublisherInput): PublishedTopic {
  const { topic, safelist, excludeIf, isCustom } = written
  const excluded = excludeIf.map((pointer) => `/${topic.name}${pointer}`)
  const all = { ...policies, excludeIf: [...policies.excludeIf, ...excluded] }
  const filter = topicFilter(topic.name, safelist, all, names.group)
  const used = formats.map((format) => {
    const isUsed = handlers.some((handler) => handler.format.key === format.key && handler.topics.includes(topic.name))
    return isUsed ? { format: format.forTopic(topic), json: format.json?.(topic) } : undefined
  })
  return { name: topic.name, filter, check: isCustom ? eventCheck(topic) : null, formats: used }
}

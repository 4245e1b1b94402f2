import {
  LOCAL_LIMITS,
  type QueuedRecord,
  RecordRefused,
  sizeOf,
  type Transport,
  type TransportEnv,
} from '#durable-queue'
import { boundedWait } from '#timing'
import { type FilePlan, MAX_READ_LINE, TopicFile } from '#trail'
import { TRAIL_EVENTS } from '../../file-log-events.ts'
import { within } from '../within.ts'

/** Files of an event handler, as plain data. */
export interface FilesPlan extends FilePlan {
  readonly topics: readonly string[]
}

/** Milliseconds that a call waits for an unresponsive disk; its write goes on. */
const WRITE_LIMIT = 30_000
/** The same for closing and reopening. */
const CLOSE_LIMIT = 2_000
/** Longer lines could not be read again. */
const MAX_LINE = MAX_READ_LINE - 1_024

/** Writes records to one file for each topic. */
export function openFiles(plan: FilesPlan, env: TransportEnv): Transport {
  const { logger, clock } = env
  return new FileTransport(plan.topics, (topic) => new TopicFile(plan, topic, { logger, clock, events: TRAIL_EVENTS }))
}

type Lines = Pick<TopicFile, 'start' | 'append' | 'reopen' | 'close'>

/** A call of `send`, until it has succeeded. */
interface Call {
  readonly records: readonly QueuedRecord[]
  /** Number of written records by topic: they are not written again when the call is repeated. */
  readonly written: Map<string, number>
  /** The write that runs, also after the call was aborted. */
  running: Promise<void> | null
}

/** One file for each topic. An unresponsive disk has one write at a time: a repeated call waits for that of the call before. */
export class FileTransport implements Transport {
  readonly batchLimits = LOCAL_LIMITS
  readonly #openTopic: (topic: string) => Lines
  readonly #files = new Map<string, Lines>()
  #call: Call | null = null

  /** Files of an earlier process are continued at once: the end of a chain is signed, leftovers are removed. */
  constructor(topics: readonly string[], openTopic: (topic: string) => Lines) {
    this.#openTopic = openTopic
    for (const topic of topics) this.#file(topic)
  }

  async send(records: readonly QueuedRecord[], signal: AbortSignal): Promise<void> {
    const tooLong = records.findIndex((record) => sizeOf(record) > MAX_LINE)
    await this.#write(tooLong === -1 ? records : records.slice(0, tooLong), signal)
    if (tooLong !== -1) throw new RecordRefused(tooLong, `a line has ${MAX_LINE} bytes at most`)
  }

  reopen(): Promise<void> {
    return this.#endAll((file) => file.reopen())
  }

  close(): Promise<void> {
    return this.#endAll((file) => file.close())
  }

  async #endAll(end: (file: Lines) => Promise<void>): Promise<void> {
    await boundedWait(Promise.all([...this.#files.values()].map(end)), CLOSE_LIMIT)
  }

  async #write(records: readonly QueuedRecord[], signal: AbortSignal): Promise<void> {
    const last = this.#call
    if (last !== null && !isSame(last.records, records)) {
      const ended = last.running?.catch(() => {}) ?? Promise.resolve()
      await within(WRITE_LIMIT, signal, 'the disk did not write', ended)
      this.#call = null
    }
    const call = this.#call ?? { records, written: new Map<string, number>(), running: null }
    this.#call = call
    call.running ??= this.#writeTopics(call).finally(() => {
      call.running = null
    })
    await within(WRITE_LIMIT, signal, 'the disk did not write', call.running)
    this.#call = null
  }

  async #writeTopics({ records, written }: Call): Promise<void> {
    for (const [topic, lines] of byTopic(records)) {
      const before = written.get(topic) ?? 0
      if (before === lines.length) continue
      const onWritten = (count: number) => void written.set(topic, before + count)
      await this.#file(topic).append(before === 0 ? lines : lines.slice(before), onWritten)
      written.set(topic, lines.length)
    }
  }

  #file(topic: string): Lines {
    const known = this.#files.get(topic)
    if (known !== undefined) return known
    const file = this.#openTopic(topic)
    this.#files.set(topic, file)
    // A directory that can not be used shows with the first event.
    file.start().catch(() => {})
    return file
  }
}

function isSame(before: readonly QueuedRecord[], now: readonly QueuedRecord[]): boolean {
  return before.length === now.length && before.every(({ id }, at) => id === now[at]?.id)
}

/** Most batches have one topic. */
function byTopic(records: readonly QueuedRecord[]): ReadonlyMap<string, readonly QueuedRecord[]> {
  const topic = records[0]?.topic
  if (topic !== undefined && records.every((record) => record.topic === topic)) return new Map([[topic, records]])
  return Map.groupBy(records, ({ topic }) => topic)
}

import type { AuditRecord, Transport, TransportEnv } from '../../delivery/transport.ts'
import type { FilePlan } from '../../files/file-plan.ts'
import { TopicFile } from '../../files/topic-file.ts'

/** Milliseconds that closing waits for an unresponsive disk. */
const CLOSE_LIMIT = 2_000

/** Files of an event handler, as plain data. */
export interface FilesPlan extends FilePlan {
  readonly topics: readonly string[]
}

/** Writes records to one file for each topic. */
export function openFiles(plan: FilesPlan, env: TransportEnv): Transport {
  return new FileTransport(plan, env)
}

class FileTransport implements Transport {
  readonly #plan: FilePlan
  readonly #env: TransportEnv
  readonly #files = new Map<string, TopicFile>()
  /** Topics of a failed call that are written: they are not written again when the call is repeated. */
  #partial: { readonly records: readonly AuditRecord[]; readonly written: Set<string> } | null = null

  /** Files of an earlier process are continued at once: the end of a chain is signed, leftovers are removed. */
  constructor(plan: FilesPlan, env: TransportEnv) {
    this.#plan = plan
    this.#env = env
    for (const topic of plan.topics) this.#file(topic)
  }

  async send(records: readonly AuditRecord[], signal: AbortSignal): Promise<void> {
    const written = this.#writtenBefore(records)
    this.#partial = { records, written }
    for (const [topic, texts] of byTopic(records)) {
      if (written.has(topic)) continue
      signal.throwIfAborted()
      await this.#file(topic).append(texts)
      written.add(topic)
    }
    this.#partial = null
  }

  async reopen(): Promise<void> {
    await Promise.all([...this.#files.values()].map((file) => file.reopen()))
  }

  async close(): Promise<void> {
    const limit = Promise.withResolvers<void>()
    const timer = setTimeout(limit.resolve, CLOSE_LIMIT)
    await Promise.race([Promise.all([...this.#files.values()].map((file) => file.close())), limit.promise])
    clearTimeout(timer)
  }

  #file(topic: string): TopicFile {
    const known = this.#files.get(topic)
    if (known !== undefined) return known
    const file = new TopicFile(this.#plan, topic, this.#env)
    this.#files.set(topic, file)
    // A directory that can not be used shows with the first event.
    file.start().catch(() => {})
    return file
  }

  #writtenBefore(records: readonly AuditRecord[]): Set<string> {
    const before = this.#partial
    const isRepeated =
      before !== null &&
      before.records.length === records.length &&
      before.records.every(({ id }, at) => id === records[at]?.id)
    return isRepeated ? before.written : new Set()
  }
}

function byTopic(records: readonly AuditRecord[]): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>()
  for (const { topic, text } of records) {
    const list = texts.get(topic)
    if (list === undefined) texts.set(topic, [text])
    else list.push(text)
  }
  return texts
}

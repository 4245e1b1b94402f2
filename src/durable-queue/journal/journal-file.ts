import { join } from 'node:path'
import { type ProcessIdentity, thisProcess } from '../spool/process-identity.ts'

/** A queue that has a journal: it is in the directory of its spool. */
export interface JournalTarget {
  readonly directory: string
  /** Number of formats: texts of each record. */
  readonly formats: number
  /** Number of the queue's format. */
  readonly format: number
  readonly topics: readonly string[]
}

/** File of the records of one batch of one service of this process. */
export function journalPath({ directory }: JournalTarget, service: number, batch: number): string {
  const { pid, started } = thisProcess()
  return join(directory, `${hostInNames()}.${pid}.${started}.${service}.${batch}.journal`)
}

const NAME = /^(?<host>.*)\.(?<pid>\d+)\.(?<started>\d*)\.(?<service>\d+)\.(?<batch>\d+)\.journal$/

/** A journal in a directory. */
export interface JournalName {
  readonly name: string
  /** Null for a process of another machine or container. */
  readonly owner: Omit<ProcessIdentity, 'host'> | null
  readonly service: number
  readonly batch: number
}

/** Null for another file. */
export function parseJournalName(name: string): JournalName | null {
  const { host, pid, started, service, batch } = NAME.exec(name)?.groups ?? {}
  if (started === undefined) return null
  const owner = host === hostInNames() ? { pid: Number(pid), started } : null
  return { name, owner, service: Number(service), batch: Number(batch) }
}

function hostInNames(): string {
  return encodeURIComponent(thisProcess().host)
}

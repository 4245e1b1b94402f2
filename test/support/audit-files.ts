import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createLogger, memoryLog } from '#logging'
import { TRAIL_EVENTS } from '../../src/audit/file-log-events.ts'
import type { ChainPlan, FilePlan } from '../../src/trail/files/file-plan.ts'
import { NO_RETENTION, NO_ROTATION } from '../../src/trail/files/file-plan.ts'

/** A plan of JSON files without rotation. */
export function filePlan(directory: string, more: Partial<FilePlan> = {}): FilePlan {
  return {
    directory,
    extension: '.audit.json',
    lineEnd: '\n',
    headers: {},
    mode: 0o600,
    sync: Number.POSITIVE_INFINITY,
    keepOpen: true,
    rotation: NO_ROTATION,
    retention: NO_RETENTION,
    compress: false,
    checkInterval: 5_000,
    chain: null,
    ...more,
  }
}

export const CHAIN_SECRET = { secret: Buffer.from('0123456789abcdef0123456789abcdef') }

/** A chain that is signed when a test says so. */
export function chainPlan(more: Partial<ChainPlan> = {}): ChainPlan {
  return { key: CHAIN_SECRET, csv: null, interval: 3_600_000, lines: 1_000, ...more }
}

/** The line of an event. */
export const eventText = (id: string | number, more = ''): string => JSON.stringify({ _id: String(id), more })

/** Clock that a test advances, and a log in memory. */
export function fileEnv(start = Date.UTC(2026, 0, 2, 3, 4, 5, 6)) {
  const log = memoryLog()
  const time = { now: start, monotonic: 1_000 }
  return {
    log,
    events: TRAIL_EVENTS,
    logger: createLogger({ level: 'debug', format: 'json', destination: log }),
    clock: { now: () => time.now, monotonic: () => time.monotonic },
    advance(milliseconds: number): void {
      time.now += milliseconds
      time.monotonic += milliseconds
    },
    /** Sets the wall clock. */
    set(now: number): void {
      time.now = now
    },
  }
}

/** The names of all files, sorted. */
export const namesIn = (directory: string): string[] => readdirSync(directory).sort()

/** `_id` of all events in files of a directory, by the names of the files. */
export function idsIn(directory: string): string[] {
  return namesIn(directory)
    .filter((name) => !/\.(?:head|tmp)$/.test(name))
    .flatMap((name) => {
      const bytes = readFileSync(join(directory, name))
      const text = name.endsWith('.gz') ? gunzipSync(bytes).toString() : bytes.toString()
      return text.split('\n').flatMap((line) => {
        try {
          const { _id: id } = JSON.parse(line) as { _id?: string }
          return id === undefined ? [] : [id]
        } catch {
          return []
        }
      })
    })
}

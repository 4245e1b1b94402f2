import { createLogger, type Logger } from '#logging'
import { systemClock } from '#schema'
import { type FilePlan, NO_RETENTION, NO_ROTATION } from './files/file-plan.ts'
import { TopicFile } from './files/topic-file.ts'
import type { RotatedName } from './files/topic-files.ts'

/** Location and limits of a trail. */
interface TrailLocation {
  readonly directory: string
  readonly topic: string
  /** A file that has grown to this size is rotated. */
  readonly maxBytes?: number
  /** Rotated files that are retained. */
  readonly oldFiles?: number
  readonly now?: () => number
  readonly logger?: Logger
}

const MAX_BYTES = 8 * 1024 * 1024
const OLD_FILES = 7

/** The files of the trail of configuration changes. */
export function configTrailPlan(directory: string): FilePlan {
  return {
    directory,
    extension: '.audit.json',
    lineEnd: '\n',
    headers: {},
    mode: 0o600,
    sync: 0,
    rotation: { ...NO_ROTATION, maxFileSize: MAX_BYTES, suffix: '-yyyy.MM.dd-HH.mm.ss.SSS' },
    retention: { ...NO_RETENTION, maxFiles: OLD_FILES },
    compress: false,
    checkInterval: 5_000,
    chain: null,
  }
}

/** The files of one topic that is always on, with fixed limits. Each write opens and closes the file. */
export class TrailFile {
  readonly #file: TopicFile

  constructor({ directory, topic, maxBytes = MAX_BYTES, oldFiles = OLD_FILES, now = Date.now, logger }: TrailLocation) {
    const standard = configTrailPlan(directory)
    const plan = {
      ...standard,
      rotation: { ...standard.rotation, maxFileSize: maxBytes },
      retention: { ...standard.retention, maxFiles: oldFiles },
    }
    this.#file = new TopicFile(plan, topic, { logger: logger ?? createLogger(), clock: { ...systemClock, now } })
  }

  get path(): string {
    return this.#file.files.path
  }

  /** Rotated files, the oldest first. */
  rotated(): Promise<readonly RotatedName[]> {
    return this.#file.files.rotated()
  }

  /** Adds whole lines, and resolves when they are on the disk. */
  async append(lines: string): Promise<void> {
    await this.#file.append([lines.slice(0, -1)])
    await this.#file.reopen()
  }
}

import { NO_RETENTION, NO_ROTATION } from '#trail'
import type { FilesPlan } from './transports/file/file-transport.ts'

const MAX_BYTES = 8 * 1024 * 1024
const ROTATED_FILES = 7

/** The files of the trail of configuration changes, which is always written; an event is on the disk when it counts as written. */
export function configTrailPlan(directory: string): FilesPlan {
  return {
    directory,
    topics: ['config'],
    extension: '.audit.json',
    lineEnd: '\n',
    headers: {},
    mode: 0o600,
    sync: 0,
    keepOpen: false,
    rotation: { ...NO_ROTATION, maxFileSize: MAX_BYTES, suffix: '-yyyy.MM.dd-HH.mm.ss.SSS' },
    retention: { ...NO_RETENTION, maxFiles: ROTATED_FILES },
    compress: false,
    checkInterval: 5_000,
    chain: null,
  }
}

import { once } from 'node:events'
import type { ReadEvent } from '#audit'
import { jsonText } from '#logging'
import { UnreadableFileError } from '#trail'
import { EXIT } from '../exit-codes.ts'
import type { ProcessContext } from '../process-context.ts'
import { UnknownTrails } from './audit-trails.ts'

export function eventLine({ fields }: ReadEvent): string {
  return `${jsonText(fields)}\n`
}

/** Waits for a slow reader. */
export async function printLine(line: string, { stdout }: ProcessContext): Promise<void> {
  if (!stdout.write(line)) await once(stdout, 'drain')
}

/** Explains why events can not be read; gives the exit code. */
export function reportFailure(error: unknown, { stderr }: ProcessContext): number {
  const { code, message } = error as NodeJS.ErrnoException
  const isKnown = error instanceof UnknownTrails || error instanceof UnreadableFileError
  if (!isKnown && code === undefined) throw error
  stderr.write(`gateway: audit: ${message}\n`)
  return error instanceof UnknownTrails ? EXIT.configuration : EXIT.failed
}

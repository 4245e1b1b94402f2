import { basename } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { followEvents, readEvents } from '#audit'
import type { MissedFiles } from '#trail'
import { type Arguments, UsageError } from '../arguments.ts'
import { EXIT } from '../exit-codes.ts'
import type { ProcessContext } from '../process-context.ts'
import { chosenTrail, lineCount } from './chosen-trail.ts'
import { LastEvents } from './last-events.ts'
import { eventLine, printLine, reportFailure } from './output.ts'

const DEFAULT_LINES = 10
/** Milliseconds between two looks at a file. */
const POLL_INTERVAL = 250

/** `gateway audit tail`. */
export async function tailEvents(args: Arguments, context: ProcessContext): Promise<number> {
  const [, topic, extra] = args.operands
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"; tail takes one topic`)
  const limit = lineCount(args) ?? DEFAULT_LINES
  try {
    const files = await chosenTrail(topic, args, context)
    const last = new LastEvents(limit)
    if (!args.has('follow')) {
      for await (const events of readEvents(files, { order: 'oldest first' }))
        for (const event of events) last.add(event)
      for (const event of last.events) await printLine(eventLine(event), context)
      return EXIT.ok
    }
    let isStarted = false
    for await (const { events, isNew, missed } of followEvents(files, () => wait(POLL_INTERVAL))) {
      if (missed !== undefined) context.stderr.write(`gateway: audit: ${missedText(missed)}\n`)
      const shown = !isNew ? [] : isStarted ? events : [...last.events, ...events]
      isStarted ||= isNew
      if (!isNew) for (const event of events) last.add(event)
      for (const event of shown) await printLine(eventLine(event), context)
    }
    return EXIT.ok
  } catch (error) {
    return reportFailure(error, context)
  }
}

function missedText({ names, lines }: MissedFiles): string {
  if (lines !== null) return `retention has removed ${lines} lines of the chain that were not read`
  if (names.length === 0) return 'retention has removed files meanwhile; some may not have been read'
  const files = names.map((name) => basename(name)).join(', ')
  return `retention has removed ${names.length} files that were not read: ${files}`
}

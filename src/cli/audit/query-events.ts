import { type ReadEvent, readEvents } from '#audit'
import { matches, parseQueryFilter, type QueryFilter } from '#crest'
import { type Arguments, UsageError } from '../arguments.ts'
import { EXIT } from '../exit-codes.ts'
import type { ProcessContext } from '../process-context.ts'
import { chosenTrail, lineCount } from './chosen-trail.ts'
import { LastEvents } from './last-events.ts'
import { eventLine, printLine, reportFailure } from './output.ts'

/** `gateway audit query`. */
export async function queryEvents(args: Arguments, context: ProcessContext): Promise<number> {
  if (args.operands.length > 1)
    throw new UsageError(`unexpected argument "${args.operands[1]}"; use --topic and --filter`)
  const filter = filterOf(args)
  const limit = lineCount(args)
  try {
    const files = await chosenTrail(args.value('topic'), args, context)
    const isMatch = ({ fields }: ReadEvent): boolean => filter === null || matches(filter, fields)
    if (args.has('count')) {
      let count = 0
      for await (const events of readEvents(files)) count += events.filter(isMatch).length
      context.stdout.write(`${count}\n`)
      return EXIT.ok
    }
    const last = limit === null ? null : new LastEvents(limit)
    for await (const events of readEvents(files, { order: 'oldest first' })) {
      for (const event of events) {
        if (!isMatch(event)) continue
        if (last === null) await printLine(eventLine(event), context)
        else last.add(event)
      }
    }
    for (const event of last?.events ?? []) await printLine(eventLine(event), context)
    return EXIT.ok
  } catch (error) {
    return reportFailure(error, context)
  }
}

function filterOf(args: Arguments): QueryFilter | null {
  const text = args.value('filter')
  if (text === undefined) return null
  try {
    return parseQueryFilter(text)
  } catch (error) {
    throw new UsageError(`--filter: ${(error as Error).message}`)
  }
}

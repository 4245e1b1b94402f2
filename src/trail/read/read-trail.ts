import { ChainedLines } from '../chain/chained-lines.ts'
import { type FileLine, LineFile } from '../files/lines.ts'
import { COMPRESSED, type TopicFiles } from '../files/topic-files.ts'

/** The files of a topic. */
export type TrailFiles = Pick<TopicFiles, 'path' | 'rotated' | 'isChained'>

/** A file of a trail that can not be read to its end, such as a truncated compressed one. Lines of the others are not known to be all. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError'
}

/** Of files; the lines of each are read from its beginning. */
export type ReadOrder = 'newest first' | 'oldest first'

/**
 * The lines of a topic, some at a time, each file to where it ended when reading began. Of a tamper-evident trail, those of its chain.
 */
export async function* readTrail(files: TrailFiles, order: ReadOrder): AsyncGenerator<readonly FileLine[]> {
  // The active file is opened before the others are listed. One that is rotated between is listed too, and recognised.
  const active = await LineFile.open(files.path)
  const read = files.isChained ? chainedLinesOf : linesOf
  try {
    const rotated = (await files.rotated()).map(({ path }) => path)
    const isAscending = order === 'oldest first'
    if (!isAscending && active !== null) yield* read(active, files.path)
    for (const path of isAscending ? rotated : rotated.reverse()) {
      // A file may be compressed or expire meanwhile.
      const file = (await LineFile.open(path)) ?? (await LineFile.open(`${path}${COMPRESSED}`))
      if (file === null) continue
      try {
        if (file.identity !== active?.identity) yield* read(file, path)
      } finally {
        await file.close()
      }
    }
    if (isAscending && active !== null) yield* read(active, files.path)
  } finally {
    await active?.close()
  }
}

async function* chainedLinesOf(file: LineFile, path: string): AsyncGenerator<readonly FileLine[]> {
  const chained = new ChainedLines()
  for await (const lines of linesOf(file, path)) yield chained.take(lines)
  yield chained.rest()
}

/** The lines of a file. One that can not be read to its end throws an error that names it. */
export async function* linesOf(file: LineFile, path: string): AsyncGenerator<readonly FileLine[]> {
  try {
    yield* file.lines()
  } catch (error) {
    const advice = 'restore the file, or move it to another folder to read the others'
    throw new UnreadableFileError(`${path} can not be read to its end: ${(error as Error).message}; ${advice}`)
  }
}

import { isUtf8 } from 'node:buffer'
import { locationAt, type ScriptProblem } from './errors.ts'

/** The text of a script in a file. */
interface DecodedScript {
  readonly text: string
  /** The first character that is not UTF-8; null where all are. The script runs without it, as it may be part of a comment. */
  readonly problem: ScriptProblem | null
}

/** Decodes the content of a file with a script; `file` is its name in the problem. */
export function decodeScript(bytes: Uint8Array, file: string): DecodedScript {
  const text = Buffer.from(bytes).toString('utf8')
  if (isUtf8(bytes)) return { text, problem: null }
  const problem = 'the file is not UTF-8 text, so that this character is replaced by U+FFFD; save it as UTF-8'
  return { text, problem: { problem, location: locationAt(text, text.indexOf('\ufffd'), file) } }
}

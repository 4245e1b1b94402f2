export { redacted } from './confidential.ts'
export {
  type LogDestination,
  type MemoryLog,
  memoryLog,
  onTerminal,
  terminalHasColours,
} from './destination.ts'
export { isoTime } from './iso-time.ts'
export { jsonContent, jsonString, jsonText } from './json-text.ts'
export { lastText } from './last-text.ts'
export type { LogLevel } from './levels.ts'
export { observeLogLines } from './line-observer.ts'
export { LinesNotWritten } from './line-queue.ts'
export { LogEvent, logEvents } from './log-event.ts'
export { LogFile, openLogFile } from './log-file.ts'
export { createLogger, type Logger } from './logger.ts'
export { decodedName, maskedPath, maskText } from './mask-text.ts'
export { oneLine } from './one-line.ts'
export { type LogEntry, prettyLine } from './pretty.ts'
export { suppressedEntries } from './repeats.ts'
export { ReplaceableLogger } from './replaceable-logger.ts'
export { isSecretName, isSecretParameter } from './secret-names.ts'
export {
  joinOutput,
  outputThreadEnded,
  replaceStandardOutput,
  sharedOutput,
  standardOutput,
} from './thread-output.ts'

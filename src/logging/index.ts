export { isConfidential, redacted } from './confidential.ts'
export { type LogDestination, type MemoryLog, memoryLog } from './destination.ts'
export { type LevelsByName, type LogLevel, levelOf } from './levels.ts'
export { LogEvent, type LogEventNote, logEvents } from './log-event.ts'
export {
  createLogger,
  type LogFields,
  type Logger,
  type LoggerOptions,
  type LogMethod,
  type LogMethods,
} from './logger.ts'
export { oneJsonLine, oneLine } from './one-line.ts'
export type { LogEntry } from './pretty.ts'
export { suppressedEntries } from './repeats.ts'
export {
  joinOutput,
  type LogFailures,
  outputThreadEnded,
  replaceStandardOutput,
  sharedOutput,
  standardOutput,
} from './standard-output.ts'

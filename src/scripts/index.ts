export { ClaimConstraints } from './claim-constraints.ts'
export type { Script } from './engine.ts'
export { formatProblem, ScriptError, type ScriptProblem, ScriptSyntaxError, ScriptTimeoutError } from './errors.ts'
export { HeapObject, type ResultShape } from './evaluation-port.ts'
export {
  bindingNames,
  LANGUAGE_BY_EXTENSION,
  LANGUAGE_BY_MEDIA_TYPE,
  SCRIPT_LANGUAGES,
  type ScriptLanguage,
} from './languages.ts'
export { listedVariables } from './listed-variables.ts'
export { EVENTS as SCRIPT_EVENTS } from './log-events.ts'
export { isBindingName } from './program.ts'
export { compileScript, ObjectScript } from './script.ts'
export { NO_SECRETS_PROVIDER } from './script-secrets.ts'
export { decodeScript } from './script-text.ts'

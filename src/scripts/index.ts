export { bindingNames } from './binding-names.ts'
export { ClaimConstraints } from './claim-constraints.ts'
export type { Script, ScriptSettings } from './engine.ts'
export {
  formatPlace,
  formatProblem,
  ScriptError,
  type ScriptPlace,
  type ScriptProblem,
  ScriptSyntaxError,
  ScriptTimeoutError,
} from './errors.ts'
export type { EvaluationInput } from './evaluation-input.ts'
export { HeapObject, type ResultShape } from './evaluation-port.ts'
export { listedVariables } from './listed-variables.ts'
export { isBindingName, type ScriptLanguage, type ScriptSource } from './program.ts'
export { compileScript, ObjectScript } from './script.ts'

import type { ParameterType } from './method-group.ts'

/** A parameter without a type. */
export const untypedParameter: ParameterType = {
  name: 'Object',
  distance: (value) => (value === null ? 0 : 300),
  convert: (value) => value,
}

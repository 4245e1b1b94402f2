import { isPlainObject, type JsonObject } from '#json'

/** Declares a filter with the deprecated field `target` as a chain with an AssignmentFilter behind it, which sets the target to a value. */
export function assignedTarget(value: string): (declaration: JsonObject) => JsonObject | null {
  return ({ type = null, config, ...others }) => {
    if (!isPlainObject(config) || typeof config['target'] !== 'string') return null
    const { target, ...rest } = config as JsonObject
    const assignment = { type: 'AssignmentFilter', config: { onRequest: [{ target: target ?? null, value }] } }
    return { ...others, type: 'ChainOfFilters', config: { filters: [{ type, config: rest }, assignment] } }
  }
}

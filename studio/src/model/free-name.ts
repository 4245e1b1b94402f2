import { valueAt } from './canvas-edits.ts'

/** A name that no object of the route has: the wanted one, or the wanted one with a number. */
export function freeName(wanted: string, text: string): string {
  const taken = new Set<string>()
  collectNames(valueAt(text, []), taken)
  if (!taken.has(wanted)) return wanted
  for (let number = 2; ; number++) if (!taken.has(`${wanted}-${number}`)) return `${wanted}-${number}`
}

function collectNames(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  const { name } = value as { name?: unknown }
  if (typeof name === 'string') names.add(name)
  for (const item of Object.values(value)) collectNames(item, names)
}

import { useEffect } from 'react'

/** An action of the current page, offered by the command palette. */
export interface Command {
  readonly name: string
  readonly isEnabled?: boolean
  run(): void
}

const offered = new Map<string, readonly Command[]>()

/** Offers commands while a component is shown. */
export function useCommands(owner: string, commands: readonly Command[]): void {
  useEffect(() => {
    offered.set(owner, commands)
    return () => void offered.delete(owner)
  })
}

/** Commands of everything that is shown now. */
export function currentCommands(): readonly Command[] {
  return [...offered.values()].flat().filter(({ isEnabled }) => isEnabled !== false)
}

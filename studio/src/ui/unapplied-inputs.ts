import { useEffect } from 'react'
import { flushSync } from 'react-dom'
import { useStable } from './use-stable.ts'

/** Inputs with a text that is typed and not applied to the route yet, each with the function that does so. */
const unapplied = new Set<() => void>()

/** Applies a text that is typed also when the page is left, or the session ends, while the input has the focus. */
export function useUnapplied(isUnapplied: boolean, apply: () => void): void {
  const stable = useStable(apply)
  useEffect(() => {
    if (!isUnapplied) return
    unapplied.add(stable)
    return () => void unapplied.delete(stable)
  }, [isUnapplied, stable])
}

/** Applies them one after the other, since each makes a new text of the route, and at once: the draft is stored before the page is gone. */
export function applyTyped(): void {
  for (const apply of [...unapplied]) flushSync(apply)
}

addEventListener('pagehide', applyTyped)
// Back and Forward show another page without a blur. First, while the page is still shown.
addEventListener('popstate', applyTyped, { capture: true })
addEventListener('beforeunload', (event) => {
  applyTyped()
  // What is not applied now is no JSON, or has a name twice: the browser asks.
  if (unapplied.size > 0) event.preventDefault()
})

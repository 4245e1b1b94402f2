import { useCallback, useLayoutEffect, useRef } from 'react'

/** A function that stays the same while what it does follows the component: for props whose change is expensive. Not to be called while rendering. */
export function useStable<Given extends unknown[], Result>(
  action: (...given: Given) => Result,
): (...given: Given) => Result {
  const latest = useRef(action)
  useLayoutEffect(() => {
    latest.current = action
  })
  return useCallback((...given: Given) => latest.current(...given), [])
}

import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { isLarge } from '../model/text-limits.ts'

const PAUSE = 150

/**
 * The text that picture and forms show. While a large one is typed it is the text before, until a pause: drawing it at each key
 * would stop the typing. `settle` is called before an action on what is shown, so that it concerns the text of now.
 */
export function useSettledText(text: string | null, isTyped: boolean): [text: string | null, settle: () => void] {
  const [settled, setSettled] = useState(text)
  const isWaiting = isTyped && text !== null && isLarge(text)
  useEffect(() => {
    if (!isWaiting) return setSettled(text)
    const timer = setTimeout(() => setSettled(text), PAUSE)
    return () => clearTimeout(timer)
  }, [text, isWaiting])
  const settle = () => {
    if (isWaiting && settled !== text) flushSync(() => setSettled(text))
  }
  return [isWaiting ? settled : text, settle]
}

import { useEffect, useState } from 'react'
import { ROOT, sessionMayHaveEnded } from './client.ts'

/** State of a stream of the management API. */
export type StreamState = 'connecting' | 'open' | 'lost'

/** Reads Server-Sent Events while a component is shown; the browser connects again after a loss. */
export function useEvents<T>(path: string | null, onEvent: (event: T) => void): StreamState {
  const [state, setState] = useState<StreamState>('connecting')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stream stays open while the path is the same.
  useEffect(() => {
    if (path === null) return
    let source: EventSource
    let timer: ReturnType<typeof setTimeout> | undefined
    const open = () => {
      source = new EventSource(ROOT + path)
      source.onopen = () => setState('open')
      source.onmessage = ({ data }: MessageEvent<string>) => onEvent(JSON.parse(data) as T)
      source.onerror = () => {
        setState('lost')
        // A refusal closes the source for good; a gateway that restarts is found again by the browser.
        if (source.readyState !== EventSource.CLOSED) return
        sessionMayHaveEnded()
        timer = setTimeout(open, 3_000)
      }
    }
    open()
    return () => {
      clearTimeout(timer)
      source.close()
    }
  }, [path])
  return state
}

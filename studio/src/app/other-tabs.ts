type SessionChange = 'log-in' | 'log-out'

/** Tells the other tabs of this browser that the session has changed. */
const channel = new BroadcastChannel('identity-gateway-studio')

export function announceSessionChange(change: SessionChange): void {
  channel.postMessage(change)
}

/** Calls a function when another tab logs in or out. */
export function onOtherTab(listener: (change: SessionChange) => void): () => void {
  const take = ({ data }: MessageEvent<SessionChange>) => listener(data)
  channel.addEventListener('message', take)
  return () => channel.removeEventListener('message', take)
}

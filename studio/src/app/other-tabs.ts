/** Tells the other tabs of this browser that the session has changed. */
const channel = new BroadcastChannel('identity-gateway-studio')

export function announceSessionChange(): void {
  channel.postMessage('session')
}

/** Calls a function when another tab logs in or out. */
export function onOtherTab(listener: () => void): () => void {
  channel.addEventListener('message', listener)
  return () => channel.removeEventListener('message', listener)
}

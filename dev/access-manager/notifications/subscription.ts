/** A parsed frame: a topic to subscribe to, or why it is invalid. */
type Frame =
  | { readonly topic: string; readonly id: string | undefined }
  | { readonly error: string; readonly id: string | undefined }

/** Parses a frame of the notification protocol, whose only action is `subscribe`. */
export function readFrame(text: string): Frame {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return { error: 'invalid JSON', id: undefined }
  }
  if (typeof message !== 'object' || message === null) return { error: 'expected an object', id: undefined }
  const { action, topic, id: given } = message as Record<string, unknown>
  const id = typeof given === 'string' ? given : undefined
  if (typeof action !== 'string') return { error: 'missing required field "action"', id }
  if (action !== 'subscribe') return { error: `unknown action "${action}"`, id }
  if (typeof topic !== 'string') return { error: 'missing required field "topic"', id }
  return { topic, id }
}

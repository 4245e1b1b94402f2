/** Runs inside the realm, before any script. */
export function lockStacks(): void {
  const { Error: RealmError } = globalThis
  const { defineProperty } = Object
  // Frames from the first one of the gateway on are omitted.
  const isOfGateway = (frame: string): boolean => /\bfile:\/\/|\bnode:/.test(frame)

  const format = (error: { name?: unknown; message?: unknown }, sites: readonly unknown[]): string => {
    let text = ''
    try {
      const { name = 'Error', message = '' } = error
      text = `${name as string}${`${message as string}` === '' ? '' : `: ${message as string}`}`
    } catch {
      // A name or message without text.
    }
    for (let at = 0; at < sites.length; at += 1) {
      const frame = `${sites[at] as string}`
      if (isOfGateway(frame)) break
      text += `\n    at ${frame}`
    }
    return text
  }

  // Without this function in a realm, Node formats stacks by code of the gateway's realm, whose exceptions would reach the
  // script. A function of the script would get the call sites of the gateway's functions.
  defineProperty(RealmError, 'prepareStackTrace', { value: format, writable: false, configurable: false })
  defineProperty(globalThis, 'Error', { value: RealmError, writable: false, configurable: false })
}

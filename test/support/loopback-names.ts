// Host names for tests with a browser: cookies depend on names, and these are in no DNS.
import dns, { type LookupAddress, type LookupOptions } from 'node:dns'

const OURS = /(?:^|\.)(?:example|other)\.test$/
const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 }

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void

const { lookup } = dns

/** Every host of example.test and other.test resolves to loopback; other names are looked up as usual. */
dns.lookup = ((hostname: string, options: LookupOptions | Found, found?: Found): void => {
  const [settings, tell] = typeof options === 'function' ? [{}, options] : [options, found as Found]
  if (!OURS.test(hostname)) lookup(hostname, settings, tell as never)
  else if (settings.all === true) tell(null, [LOOPBACK])
  else tell(null, LOOPBACK.address, LOOPBACK.family)
}) as typeof lookup

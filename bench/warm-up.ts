import { load } from './load.ts'

/** A turn of the load in seconds, and the most turns: a warm-up ends after a minute at the latest. */
const TURN = 5
const MOST_TURNS = 12
const CONNECTIONS = 32

/** Sends at least this many requests, or as many as a minute allows, and reports how many. */
export async function warmUp(
  name: string,
  url: string,
  wanted: number,
  progress: (text: string) => void,
): Promise<void> {
  let [sent, turns] = [0, 0]
  while (sent < wanted && turns < MOST_TURNS) {
    const { requests, errors } = await load(url, { connections: CONNECTIONS, seconds: TURN })
    if (errors > 0) throw new Error(`${name} gave ${errors} errors while it was warmed up with ${url}`)
    sent += requests
    turns += 1
  }
  progress(`warm-up ${name}: ${sent} of ${wanted} requests in ${turns * TURN} s`)
}

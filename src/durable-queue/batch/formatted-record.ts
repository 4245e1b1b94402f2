/** Memory in which a record writes a text by itself, from `size` on. */
export interface TextTarget {
  /** Position after what was written, which the record moves. */
  size: number
  /** Range of the id in the memory, which the record sets. */
  idStart: number
  idEnd: number
  /** The memory, with room for so many bytes. Valid until the next call. */
  room(bytes: number): Buffer
}

/** One record with its texts for destinations of several formats. */
export interface FormattedRecord {
  readonly topic: string
  /** The same when it is sent again. */
  readonly id: string
  /** Position of the id in the first text, which is ASCII up to its end; absent where the text has no id there. */
  readonly idAt?: number | undefined
  /** One for each format number; undefined where no destination with that format accepts the topic. May be formatted when it is read. */
  readonly texts: readonly (string | undefined)[]
  /**
   * Writes the text of a format without line end, in ASCII and with the id: without a string in between. Null where no destination with
   * that format accepts the topic; false where `texts` has to be used, and what was written is discarded.
   */
  write?(format: number, target: TextTarget): boolean | null
  /** Milliseconds since the epoch. */
  readonly time: number
}

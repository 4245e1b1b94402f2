import type { Match, Matcher } from '@identity-gateway/regex'
import type { ClassInfo } from './class-info.ts'
import { MatcherClass, PatternClass } from './classes.ts'
import { GroovyObject } from './value.ts'

/** A compiled regular expression. */
export class PatternValue extends GroovyObject {
  readonly text: string
  readonly flags: string
  readonly matcher: Matcher

  constructor(text: string, flags: string, matcher: Matcher) {
    super()
    this.text = text
    this.flags = flags
    this.matcher = matcher
  }

  get klass(): ClassInfo {
    return PatternClass
  }

  override get weight(): number {
    return this.text.length
  }
}

/** A Matcher: iterates over the matches of a pattern in a string. */
export class MatcherValue extends GroovyObject {
  readonly pattern: PatternValue
  text: string
  match: Match | null = null
  /** Start of the next search. */
  position = 0
  /** Start of the text that `appendReplacement` has not copied yet. */
  appendPosition = 0

  constructor(pattern: PatternValue, text: string) {
    super()
    this.pattern = pattern
    this.text = text
  }

  get klass(): ClassInfo {
    return MatcherClass
  }

  override get weight(): number {
    return this.text.length
  }

  reset(): void {
    this.match = null
    this.position = 0
    this.appendPosition = 0
  }
}

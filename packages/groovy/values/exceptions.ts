// Exception classes of Java and Groovy that scripts can throw and catch.
import { declareException, ThrowableClass, type ThrowableValue, throwable } from './throwable.ts'

export const ExceptionClass = declareException('java.lang.Exception', ThrowableClass)
export const ErrorClass = declareException('java.lang.Error', ThrowableClass)
export const AssertionError = declareException('java.lang.AssertionError', ErrorClass)
export const PowerAssertionError = declareException(
  'org.codehaus.groovy.runtime.powerassert.PowerAssertionError',
  AssertionError,
)
export const StackOverflowError = declareException('java.lang.StackOverflowError', ErrorClass)
export const OutOfMemoryError = declareException('java.lang.OutOfMemoryError', ErrorClass)
export const LinkageError = declareException('java.lang.LinkageError', ErrorClass)
export const ExceptionInInitializerError = declareException('java.lang.ExceptionInInitializerError', LinkageError)
export const CloneNotSupportedException = declareException('java.lang.CloneNotSupportedException', ExceptionClass)
export const InterruptedException = declareException('java.lang.InterruptedException', ExceptionClass)
export const ReflectiveOperationException = declareException('java.lang.ReflectiveOperationException', ExceptionClass)
export const ClassNotFoundException = declareException('java.lang.ClassNotFoundException', ReflectiveOperationException)
export const InstantiationException = declareException('java.lang.InstantiationException', ReflectiveOperationException)
export const IOException = declareException('java.io.IOException', ExceptionClass)
export const FileNotFoundException = declareException('java.io.FileNotFoundException', IOException)
export const UnsupportedEncodingException = declareException('java.io.UnsupportedEncodingException', IOException)
export const TimeoutException = declareException('java.util.concurrent.TimeoutException', ExceptionClass)
export const ExecutionException = declareException('java.util.concurrent.ExecutionException', ExceptionClass)

export const RuntimeException = declareException('java.lang.RuntimeException', ExceptionClass)
export const ArithmeticException = declareException('java.lang.ArithmeticException', RuntimeException)
export const ArrayStoreException = declareException('java.lang.ArrayStoreException', RuntimeException)
export const ClassCastException = declareException('java.lang.ClassCastException', RuntimeException)
export const ConcurrentModificationException = declareException(
  'java.util.ConcurrentModificationException',
  RuntimeException,
)
export const EmptyStackException = declareException('java.util.EmptyStackException', RuntimeException)
export const IllegalArgumentException = declareException('java.lang.IllegalArgumentException', RuntimeException)
export const NumberFormatException = declareException('java.lang.NumberFormatException', IllegalArgumentException)
export const PatternSyntaxException = declareException(
  'java.util.regex.PatternSyntaxException',
  IllegalArgumentException,
)
export const IllegalStateException = declareException('java.lang.IllegalStateException', RuntimeException)
export const IndexOutOfBoundsException = declareException('java.lang.IndexOutOfBoundsException', RuntimeException)
export const ArrayIndexOutOfBoundsException = declareException(
  'java.lang.ArrayIndexOutOfBoundsException',
  IndexOutOfBoundsException,
)
export const StringIndexOutOfBoundsException = declareException(
  'java.lang.StringIndexOutOfBoundsException',
  IndexOutOfBoundsException,
)
export const NegativeArraySizeException = declareException('java.lang.NegativeArraySizeException', RuntimeException)
export const NoSuchElementException = declareException('java.util.NoSuchElementException', RuntimeException)
export const InputMismatchException = declareException('java.util.InputMismatchException', NoSuchElementException)
export const NullPointerException = declareException('java.lang.NullPointerException', RuntimeException)
export const SecurityException = declareException('java.lang.SecurityException', RuntimeException)
export const UncheckedIOException = declareException('java.io.UncheckedIOException', RuntimeException)
export const UnsupportedOperationException = declareException(
  'java.lang.UnsupportedOperationException',
  RuntimeException,
)

export const GroovyRuntimeException = declareException('groovy.lang.GroovyRuntimeException', RuntimeException)
export const MissingPropertyException = declareException('groovy.lang.MissingPropertyException', GroovyRuntimeException)
export const ReadOnlyPropertyException = declareException(
  'groovy.lang.ReadOnlyPropertyException',
  MissingPropertyException,
)
export const MissingMethodException = declareException('groovy.lang.MissingMethodException', GroovyRuntimeException)
export const IncorrectClosureArgumentsException = declareException(
  'groovy.lang.IncorrectClosureArgumentsException',
  GroovyRuntimeException,
)
export const MissingClassException = declareException('groovy.lang.MissingClassException', GroovyRuntimeException)
export const GroovyCastException = declareException(
  'org.codehaus.groovy.runtime.typehandling.GroovyCastException',
  ClassCastException,
)

export const arithmetic = (message: string): ThrowableValue => throwable(ArithmeticException, message)
export const illegalArgument = (message: string): ThrowableValue => throwable(IllegalArgumentException, message)
export const indexOutOfBounds = (message: string): ThrowableValue => throwable(IndexOutOfBoundsException, message)
export const nullPointer = (message: string | null): ThrowableValue => throwable(NullPointerException, message)
export const unsupported = (message: string | null = null): ThrowableValue =>
  throwable(UnsupportedOperationException, message)

package interop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.redisson.config.BaseConfig;

/** A name mapper that puts a prefix before all names. By reflection, because Redisson has moved its {@code NameMapper}. */
final class NamePrefix {
    private NamePrefix() {}

    static void set(BaseConfig<?> config, String prefix) {
        for (Method method : BaseConfig.class.getMethods()) {
            if (method.getName().equals("setNameMapper")) {
                Class<?> type = method.getParameterTypes()[0];
                Object mapper = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, called, names) -> {
                    String name = (String) names[0];
                    return called.getName().equals("map") ? prefix + name : name.substring(prefix.length());
                });
                invoke(method, config, mapper);
                return;
            }
        }
        throw new AssertionError("this Redisson has no name mapper");
    }

    private static void invoke(Method method, Object config, Object mapper) {
        try {
            method.invoke(config, mapper);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}

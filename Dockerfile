# The service in a container: docker build -t asr-punct . && docker run -p 8080:8080 -e ASR_PUNCT_TOKEN=secret asr-punct
# A command instead: docker run -i asr-punct punctuate < words.txt
FROM python:3.12-slim
COPY pyproject.toml README.md LICENSE /src/
COPY asr_punct /src/asr_punct
COPY conf /src/conf
COPY recipes/constraints.txt /src/
RUN pip install --no-cache-dir -c /src/constraints.txt "/src[serve]" && useradd --system asr-punct
USER asr-punct
EXPOSE 8080
ENTRYPOINT ["asr-punct"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080"]
